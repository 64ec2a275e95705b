"""Field case 113: the chart over an older one of its own, and over kinds that others applied, with stored objects."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from tests.e2e.looser import loosen
from tests.e2e.pages import walk
from tests.e2e.site import Site, site
from tests.e2e.test_install import ALL, PAGE, live, newcomer, uids
from tests.helm.charted import CHART

pytestmark = pytest.mark.real_time

SAID = "{.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.tags.type}"
NEW = "registry.example/team/aruba-cloud-operator:0.1.0"
NOT_OURS = "metadata: {name: alien, namespace: default}\nspec: {tenant: ARU-000001, tags: [UPPER CASE, UPPER CASE]}\n"


def older(folder: Path) -> None:
    """The chart as it might have been once: kinds that check nothing and do not know `tags` of a VPC, controllers that
    wait less long, another image.
    """
    shutil.copytree(CHART, folder)
    for file in sorted((folder / "generated" / "crds").glob("*.yaml")):
        definition = yaml.safe_load(file.read_text())
        spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        loosen(spec, "required")
        if file.stem == "vpcs":
            del spec["properties"]["tags"]
        file.write_text(yaml.safe_dump(definition))
    controllers = folder / "generated" / "compositecontrollers.yaml"
    controllers.write_text(controllers.read_text().replace("timeout: 30s", "timeout: 25s"))
    made = yaml.safe_load((folder / "Chart.yaml").read_text())
    (folder / "Chart.yaml").write_text(yaml.safe_dump({**made, "version": "0.0.9", "appVersion": "0.0.9"}))


async def test_case_113_the_release_is_upgraded_with_objects_stored(tmp_path: Path) -> None:
    """Case 113: new fields and rules arrive; what is stored stays, also what the rules would refuse now."""
    async with site(tmp_path) as here:
        (here.folder / "helm").unlink()
        older(here.folder / "helm" / "aruba-cloud-operator")
        await newcomer(here, "aruba-hooks doctor")  # which would say that these kinds are old
        await live(here)
        here.write("alien.yaml", f"apiVersion: arubacloud.com/v1alpha1\nkind: ElasticIP\n{NOT_OURS}")
        await here.sh("kubectl apply -f alien.yaml")
        before, calls = await uids(here), await here.writes()
        assert await here.sh(f"kubectl get crd vpcs.arubacloud.com -o jsonpath='{SAID}'") == ""
        shutil.rmtree(here.folder / "helm")
        shutil.copytree(CHART.parent, here.folder / "helm")
        assert await _timeouts(here) == {"25s"}
        await walk(here, PAGE, ["Upgrade"])
        assert await _timeouts(here) == {"30s"}
        assert await _ready_of(here, NEW) == 0, "controllers and kinds are there before the first of the new hooks"
        await here.sh("kubectl -n aruba-system rollout status deployment/aruba-cloud-operator-hooks --timeout=90s")
        assert await _ready_of(here, NEW) == 2
        assert await here.sh(f"kubectl get crd vpcs.arubacloud.com -o jsonpath='{SAID}'") == "array"
        await here.sh(f"kubectl label {ALL} --all team=blue")
        await here.sh("kubectl wait --for=condition=Ready -f tree.yaml --timeout=60s")
        assert (await uids(here), await here.writes()) == (before, calls)
        refused = await here.sh("kubectl create -f alien.yaml --dry-run=server", fails=True)
        assert "alien" in refused
        await here.sh('kubectl patch vpc shop --type=merge -p \'{"spec":{"tags":["new-field"]}}\'')
        await here.until(lambda: _put(here, len(calls)))
        events = await here.sh("kubectl get events -A -o jsonpath='{.items[*].reason}'")
        assert "SyncError" not in events, "no call failed meanwhile"
        await here.sh(f"kubectl delete {ALL} --all --timeout=90s")
        assert await here.resources() == []


async def _timeouts(here: Site) -> set[str]:
    """How long Metacontroller waits for a sync, of all controllers."""
    said = "{.items[*].spec.hooks.sync.webhook.timeout}"
    return set((await here.sh(f"kubectl get compositecontrollers -o jsonpath='{said}'")).split())


async def _ready_of(here: Site, image: str) -> int:
    """How many Pods of this image are ready."""
    pods = json.loads(await here.sh("kubectl -n aruba-system get pods -o json"))["items"]
    found = [pod for pod in pods if pod["spec"]["containers"][0]["image"] == image]
    ready = [c["status"] for pod in found for c in pod["status"].get("conditions", ()) if c["type"] == "Ready"]
    return ready.count("True")


async def _put(here: Site, since: int) -> bool:
    return [call.split()[0] for call in (await here.writes())[since:]] == ["PUT"]


async def test_kinds_that_were_applied_are_taken_over_with_their_objects(tmp_path: Path) -> None:
    """`kubectl apply -k crds` first and objects in them; the release takes the kinds, and touches no object."""
    async with site(tmp_path) as here:
        await here.sh("kubectl apply -k crds && kubectl wait --for=condition=Established crd --all")
        await newcomer(here, "helm install aruba", "rollout status", "aruba-hooks doctor")
        await here.sh("kubectl create -f - <<'Y'\n" + PROJECT + "Y")
        before = await uids(here)
        refused = await here.sh(
            "helm install aruba ./helm/aruba-cloud-operator -n aruba-system -f values.yaml", fails=True
        )
        assert "cannot be imported into the current release" in refused
        await walk(here, PAGE, ["Take over what is there already"])
        await here.sh("kubectl wait --for=condition=Ready project/first --timeout=90s")
        assert await uids(here) == before
        calls, there = await here.writes(), await here.resources()
        await walk(here, PAGE, ["Leave, and keep what is in the cloud"])
        assert "arubacloud.com" not in await here.sh("kubectl get crd -o name")
        assert (await here.writes(), await here.resources()) == (calls, there)
        assert len(there) == 1


PROJECT = """apiVersion: arubacloud.com/v1alpha1
kind: Project
metadata: {name: first, namespace: default}
spec: {tenant: ARU-000001}
"""
