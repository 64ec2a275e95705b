"""What of the Helm chart follows from kinds and settings: CRDs, controllers, rights, values and their description.

Called by `hooks.manifests.files`. The templates are written by hand and read what is generated here.
"""

from hooks.manifests.chart.parts import FOLDER, chart

__all__ = ["FOLDER", "chart"]
