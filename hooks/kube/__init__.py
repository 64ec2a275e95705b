"""What the hooks ask of the Kubernetes API: a thin client over `hooks.http` (docs/decisions/0004)."""

from hooks.kube.client import Kube
from hooks.kube.config import Unusable, connect

__all__ = ["Kube", "Unusable", "connect"]
