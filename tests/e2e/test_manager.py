"""Upstream's acceptance 00-Manager (behaviour §4.2) as it is meant here: in a `restricted` namespace hooks and
Metacontroller are Ready, and /metrics answers with our names. What is different from a controller-runtime manager is
in docs/reference/metrics.md; the table there is held to what is served.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.site import Site, site
from tests.e2e.test_install import live, newcomer
from tests.pages import TOP

pytestmark = pytest.mark.real_time

RESTRICTED = "pod-security.kubernetes.io/enforce=restricted"
METRICS = "/api/v1/namespaces/aruba-system/services/aruba-cloud-operator-hooks-metrics:8081/proxy/metrics"


async def test_00_manager(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await newcomer(here)
        strict = await here.sh(f"kubectl get namespaces -l {RESTRICTED} -o name")
        assert strict.split() == ["namespace/aruba-system", "namespace/metacontroller"]
        await here.sh("kubectl -n metacontroller wait --for=condition=Ready pod/metacontroller-0 --timeout=60s")
        pods = "kubectl -n aruba-system get pods -l app.kubernetes.io/component=hooks"
        assert len((await here.sh(f"{pods} --field-selector=status.phase=Running -o name")).split()) == 2
        await _endpoints(here)
        await live(here)
        await _teams(here)
        served = await _served(here)
        assert served >= {"aruba_hook_duration_seconds", "aruba_reconcile_step_duration_seconds", "process_cpu_seconds"}
        ours = {name for name in served if name.startswith("aruba_") and not name.endswith("_created")}
        assert ours <= _told("ours")
        assert not served & _told("theirs")


async def _endpoints(here: Site) -> None:
    """Both Services have both Pods, at the ports that their names say."""
    for name in ("aruba-cloud-operator-hooks", "aruba-cloud-operator-hooks-metrics"):
        found = await here.sh(
            f"kubectl -n aruba-system get endpointslices -l kubernetes.io/service-name={name} "
            "-o jsonpath='{.items[*].endpoints[*].conditions.ready}'"
        )
        assert found.split() == ["true", "true"]


async def _teams(here: Site) -> None:
    """Whoever may view or edit a Namespace may do so with what is of these kinds in it (aggregated roles)."""
    for role, allowed in (("view", {"list": "yes", "delete": "no"}), ("edit", {"list": "yes", "delete": "yes"})):
        await here.sh(f"kubectl create serviceaccount {role}er")
        await here.sh(f"kubectl create rolebinding {role}er --clusterrole={role} --serviceaccount=default:{role}er")
        for verb, told in allowed.items():
            who = f"--as=system:serviceaccount:default:{role}er"
            said = await here.sh(f"kubectl auth can-i {verb} vpcs.arubacloud.com {who} || true")
            assert said.strip() == told, (role, verb)


async def _served(here: Site) -> set[str]:
    """The metrics of all replicas, by family, as Prometheus would find them."""
    families: set[str] = set()
    for _ in range(6):  # the Service gives one replica at a time
        families |= set(
            re.findall(r"^# TYPE (\w+?)(?:_total)? ", await here.sh(f"kubectl get --raw {METRICS}"), re.MULTILINE)
        )
    return families


def _told(whose: str) -> set[str]:
    """The names in docs/reference/metrics.md: of ours, or of controller-runtime's that are not served here."""
    ours, _, theirs = (TOP / "docs" / "reference" / "metrics.md").read_text().partition("## Coming")
    if whose == "ours":
        return {name.removesuffix("_total") for name in re.findall(r"^\| `(aruba_\w+)`", ours, re.MULTILINE)}
    rows = re.findall(r"^\| (`.*?`) \|", theirs, re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    return {name.removesuffix("_total") for name in names} - _told("ours")
