"""docs/how-to/migrate.md, walked on a real cluster with a real Helm, from each kind of install of the Go operator.

Judged by the cloud's own books, by UIDs and by the IDs in the statuses. Why the steps are needed is shown at the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.cases.estate import Key, key
from tests.cases.test_takeover import theirs
from tests.e2e.gooperator.before import KINDS, Before, conditions, kinds, left_by_go, objects, told
from tests.e2e.gooperator.install import CHART, chart, kustomization
from tests.e2e.gooperator.left import leave, tree
from tests.e2e.pages import walk
from tests.e2e.site import KEYS, Site, metacontroller, site
from tests.world.house import API, GROUP, PLURALS

pytestmark = pytest.mark.real_time

Object = dict[str, Any]
PAGE = "docs/how-to/migrate.md"
WAITING: Key = ("ElasticIP", "waiting")
ITS = f"arubacloud-operator {CHART} --namespace aruba-system"
INSTALL, UPGRADE = f"helm install {ITS} --create-namespace --values its-values.yaml", f"helm upgrade {ITS}"
OURS = "helm install aruba ./helm/aruba-cloud-operator --namespace aruba-system --values values.yaml"
RUNS = "kubectl -n aruba-system wait --for=condition=Available deployment --all --timeout=60s"


async def changed_over(before: Before, section: str) -> str:
    """The page's steps up to an operator that only watches, and what was read there."""
    here = before.here

    async def engine(command: str) -> str:
        """Its chart is in a public registry; its flags are the page's."""
        (flags,) = re.findall(r"commandArgs=\{(.*?)\}", command)
        await metacontroller(here, flags.split(","))
        return ""

    async def before_it_is_there(command: str) -> str:
        return await here.sh(command, fails=True)

    looked = await walk(here, PAGE, ["1. Look first"], {"doctor": before_it_is_there})
    assert "the Go operator runs" in looked
    await walk(here, PAGE, [section])
    third = ["3. This operator, which only watches"]
    await walk(here, PAGE, third, {"oci://": engine}, lambda _name, text: here.with_cloud(text))
    await here.until(lambda: _watched(before))
    return await walk(here, PAGE, ["4. Read"])


async def _taken_up(here: Site) -> bool:
    """Each object is held by this operator, and known to its owner."""
    found = [item["metadata"] for item in await objects(here)]
    held = [any(name.startswith("metacontroller.io/") for name in meta.get("finalizers", ())) for meta in found]
    owned = [meta for meta in found if any("/owner-" in name for name in meta.get("labels", {}))]
    return all(held) and len(owned) == len(found) - 1


async def _watched(before: Before) -> bool:
    """Each object has been looked at, and what would be done is told."""
    now = await told(before.here)
    return {name: said[:2] for name, said in now.items()} == {
        key(one.item): BY_NAME.get(key(one.item), RESTING)[:2] for one in before.ones
    }


def read_well(read: str) -> None:
    """What page and commands say of each other: nothing fails, the warning, and each call that would be sent."""
    assert not re.search("^fail", read, re.MULTILINE), read
    assert "warn  the Go operator's finalizer is on" in read
    for said in ("Would send DELETE", "Would send POST", "Would adopt"):
        assert said in read, said


async def watched(before: Before) -> None:
    """Observed: what is at rest is Active, of all else it is told what would be done; nothing has been sent."""
    await before.unchanged()
    assert await before.here.writes() == []
    now = await told(before.here)
    for one in before.ones:
        found, expected = now[key(one.item)], BY_NAME.get(key(one.item), RESTING)
        assert found[:2] == expected[:2], (one.item, found)
        assert found[2].startswith(expected[2]), found


RESTING = ("Active", "Available", "")
BY_NAME: Mapping[Key, tuple[str, str, str]] = MappingProxyType(
    {
        WAITING: ("Pending", "Observing", "Would send POST"),
        ("ElasticIP", "half-way"): ("Pending", "Observing", "Would adopt"),
        ("BlockStorage", "late"): ("Pending", "Observing", "Would adopt"),
        ("ElasticIP", "going"): ("Deleting", "Observing", "Would send DELETE"),
        ("CloudServer", "shop"): ("Active", "Drifted", "Not as the spec asks: spec.dataVolumeReferences"),
    }
)
"""All others are Active and Ready. The Go operator never attached the server's data volume (W12)."""


async def switched_on(before: Before) -> None:
    """What was going goes, what was waiting is made; else only statuses move. An edit is carried out."""
    here = before.here

    async def one_namespace_is_on(command: str) -> str:
        await here.until(lambda: _settled(here, len(before.ones) - 1))
        return await here.sh(command)

    await walk(here, PAGE, ["5. Switch on"], {"helm upgrade aruba": one_namespace_is_on})
    await before.unchanged(gone=True)
    now = {key(item): item for item in await objects(here)}
    for one in before.ones:
        if one.left.there and not one.going:
            status = now[key(one.item)]["status"]
            assert (status["resourceID"], status["origin"]) == (before.ids[key(one.item)], "TakenOver")
    path = f"/projects/{before.ids['Project', 'shop']}/providers/Aruba.Network/elasticIps"
    asked = await here.writes()
    assert sorted(asked) == [f"DELETE {path}/{before.ids['ElasticIP', 'going']}", f"POST {path}"]
    await here.sh("""kubectl patch vpc half-way --type=merge --patch '{"spec": {"tags": ["edited"]}}'""")
    await here.until(lambda: _sent(here, f"PUT {path.replace('elasticIps', 'vpcs')}/{before.ids['VPC', 'half-way']}"))
    await here.sh("kubectl wait vpc/half-way --for=condition=Ready --timeout=60s")


async def _sent(here: Site, call: str) -> bool:
    return call in await here.writes()


async def _settled(here: Site, count: int) -> bool:
    found = await objects(here)
    return len(found) == count and all(item["status"]["phase"] == "Active" for item in found)


async def test_from_its_helm_release_back_and_for_good(tmp_path: Path) -> None:
    """At the end the whole Project goes with one deletion, as it would have under the Go operator."""
    async with site(tmp_path) as here:
        chart(here.folder)
        its_values(here)
        await here.sh(f"{INSTALL} && {RUNS}")
        before = await left_by_go(here)
        read_well(await changed_over(before, "2. Its Helm release"))
        held = await here.sh("helm get manifest arubacloud-operator --namespace aruba-system")
        assert "replicas: 0" in held
        assert "CustomResourceDefinition" not in held
        await watched(before)
        await switched_on(before)
        await gone_back(before, "Back to its Helm release")
        await here.sh(f"{UPGRADE} --reuse-values --set controller.replicas=0 && {OURS}")
        await here.until(lambda: _taken_up(here))
        await walk(here, PAGE, ["6. Take its release away"])
        await before.unchanged(gone=True)
        assert await here.sh("helm list -A --short") == "aruba\n"
        assert len(await here.writes()) == 3, "those of the switch, and the edit"
        await here.sh("kubectl delete project shop --timeout=90s")
        assert await objects(here) == []
        assert await here.resources() == []
        await with_kinds_of_their_own(here)
        await without_the_steps(here)


async def gone_back(before: Before, section: str) -> None:
    """The Go operator runs, and could go on: nobody else holds its objects. Played is its first pass over them."""
    here = before.here
    asked = await here.writes()
    printed = await walk(here, PAGE, ["The way back", section])
    assert "Not released" not in printed
    await here.sh(RUNS)
    await before.unchanged(gone=True)
    for item in await objects(here):
        assert item["status"]["phase"] == "Active"
        assert not item["metadata"].get("finalizers"), item["metadata"]
        its_own = {"metadata": {"finalizers": [theirs(item["kind"])]}}
        url = f"{API}/namespaces/default/{PLURALS[item['kind']]}/{item['metadata']['name']}"
        await here.kube.patch(url, json=its_own, headers={"Content-Type": "application/merge-patch+json"})
    assert await here.writes() == asked


async def with_kinds_of_their_own(here: Site) -> None:
    """Kinds that are a release of their own: Helm forgets it, and they stay."""
    await here.sh("helm uninstall aruba --namespace aruba-system")
    before = await kinds(here)
    await here.sh(f"helm install its-kinds {CHART}-crd --namespace aruba-system --take-ownership")
    await here.sh("kubectl -n aruba-system delete secret --selector owner=helm,name=its-kinds")
    assert await here.sh("helm list -A --short") == ""
    assert await kinds(here) == before


async def without_the_steps(here: Site) -> None:
    """Case 107: its release takes the kinds along, and with them every object; the annotation alone saves nothing."""
    await here.sh(f"{INSTALL} --take-ownership")
    await leave(here, tree()[:1], {("Project", "shop"): "any"})
    await objects(here)  # every kind is served again: one that is deleted before is a long time about it
    await here.sh(f"kubectl annotate crd {' '.join(KINDS)} helm.sh/resource-policy=keep --overwrite")
    await here.sh("helm uninstall arubacloud-operator --namespace aruba-system")
    await here.until(lambda: _on_their_way(here))
    (project,) = json.loads(await here.sh("kubectl get projects -A -o json"))["items"]
    assert project["metadata"]["deletionTimestamp"], "held by its finalizer alone: the Go operator would delete it now"


async def _on_their_way(here: Site) -> bool:
    """All kinds are gone, or about to go; a kind whose objects have been asked to go says so."""
    items = json.loads(await here.sh("kubectl get crd -o json"))["items"]
    left = {item["metadata"]["name"]: item for item in items if item["spec"]["group"] == GROUP}
    projects = conditions(left["projects.arubacloud.com"])
    going = all(item["metadata"].get("deletionTimestamp") for item in left.values())
    return going and projects.get("Terminating", {}).get("status") == "True"


async def test_from_its_kustomization_back_and_for_good(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        kustomization(here.folder)
        its_settings(here)
        await here.sh(f"kubectl apply -k gooperator && {RUNS}")
        before = await left_by_go(here)
        read_well(await changed_over(before, "2. Its kustomization"))
        await watched(before)
        await switched_on(before)
        await gone_back(before, "Back to its kustomization")
        await walk(here, PAGE, ["6. Take its kustomization away"])
        await before.unchanged(gone=True)
        left = await here.sh(f"kubectl get -k gooperator --ignore-not-found -o name | grep -v {GROUP}")
        assert left == "namespace/aruba-system\n"
        await here.sh("kubectl -n aruba-system get secret aruba-operator-secret aruba-hook-token")
        await here.sh(f"kubectl apply -k gooperator && {RUNS}")
        await before.unchanged(gone=True)


def its_values(here: Site) -> None:
    single = {"clientId": KEYS["client-id"], "clientSecret": KEYS["client-secret"]}
    auth = {"idp": f"{here.cloud}/auth", "single": single}
    here.write("its-values.yaml", {"config": {"gateway": here.cloud, "auth": auth}})


def its_settings(here: Site) -> None:
    """What its users write into the kustomization's two files."""
    lines = [f"api-gateway={here.cloud}", f"keycloak-url={here.cloud}/auth", "realm-api=cmp-new-apikey"]
    here.write("gooperator/config.env", "\n".join(lines) + "\n")
    here.write("gooperator/secrets.env", "".join(f"{name}={text}\n" for name, text in KEYS.items()))
