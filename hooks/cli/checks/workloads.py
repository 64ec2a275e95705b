"""Deployments and StatefulSets of the whole cluster: who runs, with which image and as whom. Read once."""

from __future__ import annotations

from typing import NamedTuple

from hooks.cli.cluster import Cluster, at, path_name
from hooks.kube.answers import Raw
from hooks.meta.outcomes import Trouble

GO_LABEL, GO_IMAGE = ("control-plane", "controller-manager"), "arubacloud-resource-operator"
"""What upstream's chart gives its Deployment (behaviour §3.5)."""
GO_CHART = "<its chart> --version <as installed> --reuse-values --set controller.replicas=0"


class Workload(NamedTuple):
    """One Deployment or StatefulSet."""

    kind: str
    raw: Raw

    @property
    def path(self) -> str:
        return path_name(self.raw)

    @property
    def namespace(self) -> str:
        return str(at(self.raw, "metadata", "namespace") or "")

    @property
    def name(self) -> str:
        return str(at(self.raw, "metadata", "name") or "")

    @property
    def labels(self) -> Raw:
        """Those of its pods."""
        found = at(self.raw, "spec", "template", "metadata", "labels")
        return found if isinstance(found, dict) else {}

    @property
    def containers(self) -> list[Raw]:
        found = at(self.raw, "spec", "template", "spec", "containers")
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

    @property
    def images(self) -> list[str]:
        return [str(container.get("image", "")) for container in self.containers]

    @property
    def account(self) -> str:
        """The service account of its pods."""
        return str(at(self.raw, "spec", "template", "spec", "serviceAccountName") or "default")

    @property
    def wanted(self) -> int:
        """Replicas asked for; one when nothing is said."""
        said = at(self.raw, "spec", "replicas")
        return said if isinstance(said, int) else 1

    @property
    def ready(self) -> int:
        said = at(self.raw, "status", "readyReplicas")
        return said if isinstance(said, int) else 0

    @property
    def scaled(self) -> str:
        """The command that scales it, short of the number."""
        return f"kubectl -n {self.namespace} scale {self.kind.lower()} {self.name} --replicas="

    @property
    def stopped(self) -> str:
        """What stops the Go operator for good: a Helm release starts it again with its next upgrade."""
        release = at(self.raw, "metadata", "annotations", "meta.helm.sh/release-name")
        if not isinstance(release, str):
            return f"{self.scaled}0"
        command = f"helm -n {self.namespace} upgrade {release} {GO_CHART}"
        return f"by its own chart, or the next upgrade starts it again: {command}"

    def __str__(self) -> str:
        return f"{self.kind} {self.path}"


async def workloads(cluster: Cluster) -> list[Workload] | Trouble | None:
    """All of them; None where there are no such kinds, as in local mode."""
    found: list[Workload] = []
    for kind in ("Deployment", "StatefulSet"):
        items = await cluster.items(f"/apis/apps/v1/{kind.lower()}s")
        if not isinstance(items, list):
            return items
        found += [Workload(kind, item) for item in items]
    return found


def go_operators(found: list[Workload]) -> list[Workload]:
    """Deployments of the Go operator, running or not."""
    label, value = GO_LABEL
    labelled = [w for w in found if value in (w.labels.get(label), at(w.raw, "metadata", "labels", label))]
    return [w for w in labelled if any(GO_IMAGE in image for image in w.images)]
