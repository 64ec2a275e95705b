"""A small Kubernetes API that the real kubectl talks to, for trying and testing without a cluster.

In memory, loopback only, everybody may do everything. What is not modelled answers a Status error that says so.
"""

from hooks.local.kubernetes.api import KubernetesApi
from hooks.local.kubernetes.kubeconfig import kubeconfig

__all__ = ["KubernetesApi", "kubeconfig"]
