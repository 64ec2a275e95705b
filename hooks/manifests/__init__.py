"""From declarations to YAML: what a cluster is given, derived from the kinds alone.

`hooks.cli.generate` writes the files; local mode applies the same objects with its own base URL.
"""

from hooks.manifests.controllers import BASE_URL, CUSTOMIZE_TIMEOUT, HOOK_TIMEOUT, RESYNC_PERIOD, composite_controllers
from hooks.manifests.crd import crd, crds
from hooks.manifests.files import FOLDERS, generated
from hooks.manifests.rbac import hooks_rbac, metacontroller_rbac, metacontroller_secrets
from hooks.manifests.samples import samples

__all__ = [
    "BASE_URL",
    "CUSTOMIZE_TIMEOUT",
    "FOLDERS",
    "HOOK_TIMEOUT",
    "RESYNC_PERIOD",
    "composite_controllers",
    "crd",
    "crds",
    "generated",
    "hooks_rbac",
    "metacontroller_rbac",
    "metacontroller_secrets",
    "samples",
]
