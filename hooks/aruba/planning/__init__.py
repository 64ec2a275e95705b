"""What applying manifests would do, call by call: the real engine plays on a shadow of the cluster and of the cloud.

`objects` is the shadow of the cluster, `resources` that of the cloud, `play` lets time pass on both; for `plan`. What
is there is read once, nothing is sent.
"""

from hooks.aruba.planning.objects import Objects
from hooks.aruba.planning.play import Outcome, Planned, play
from hooks.aruba.planning.resources import Reader, Resources

__all__ = ["Objects", "Outcome", "Planned", "Reader", "Resources", "play"]
