"""A newcomer's walk through docs/how-to/kustomize.md on a real cluster: the install without Helm, and its ways out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.e2e.pages import walk
from tests.e2e.site import Site, metacontroller, site
from tests.e2e.test_install import TREE, answered, live, uids

pytestmark = pytest.mark.real_time

PAGE = "docs/how-to/kustomize.md"
STEPS = ["1. Metacontroller", "2. The kinds", "3. Namespace and Secrets", "4. The operator"]


async def test_install_look_switch_on_upgrade_and_take_away(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await _installed(here)
        await here.sh("kubectl apply -f tree.yaml")
        await here.until(lambda: _says_what_it_would_send(here))
        assert await here.writes() == []
        _switch_on(here)
        await walk(here, PAGE, ["Upgrade"])
        await live(here)
        await _rotated(here)
        before, calls = await uids(here), await here.writes()
        await walk(here, PAGE, ["Take it away"])
        assert (await uids(here), await here.writes()) == (before, calls)
        await here.sh("kubectl -n aruba-system get secret aruba-operator-secret aruba-hook-token")
        await here.sh("kubectl delete project shop --wait=false && kubectl apply -k operator")
        await here.sh("kubectl wait --for=delete -f tree.yaml --timeout=90s")
        assert await here.resources() == []


async def _installed(here: Site) -> None:
    async def engine(_command: str) -> str:
        """Its manifests are in a public repository; its flags are the page's."""
        (patch,) = yaml.safe_load((here.folder / "engine" / "kustomization.yaml").read_text())["patches"]
        await metacontroller(here, yaml.safe_load(patch["patch"])[0]["value"])
        return ""

    here.keys()
    here.write("tree.yaml", TREE)
    sections = {"kubectl apply -k engine": engine}
    printed = await walk(here, PAGE, STEPS, sections, lambda name, text: _with_cloud(here, name, text))
    assert "fail" not in printed.partition("aruba-hooks doctor")[2]


def _with_cloud(here: Site, name: str, text: str) -> str:
    """The page's own kustomization, with our cloud among its settings."""
    if name != "operator/kustomization.yaml":
        return text
    made = yaml.safe_load(text)
    patch = yaml.safe_load(made["patches"][0]["patch"])
    patch["data"] |= {"api-gateway": here.cloud, "keycloak-url": f"{here.cloud}/auth"}
    made["patches"][0]["patch"] = yaml.safe_dump(patch)
    return yaml.safe_dump(made)


def _switch_on(here: Site) -> None:
    """As the page says."""
    file = here.folder / "operator" / "kustomization.yaml"
    assert "mode: observe" in file.read_text()
    file.write_text(file.read_text().replace("mode: observe", "mode: manage"))


async def _rotated(here: Site) -> None:
    """With the new token all goes on, and the old one lets nobody in."""
    old = await here.sh(
        "kubectl -n aruba-system get secret aruba-hook-token --template='{{.data.token | base64decode}}'"
    )
    await walk(here, PAGE, ["Rotate"])
    assert await answered(here, old) == "401"
    await here.sh('kubectl patch vpc shop --type=merge -p \'{"spec":{"tags":["rotated"]}}\'')
    await here.sh("kubectl wait --for=jsonpath='{.status.observedGeneration}'=2 vpc/shop --timeout=60s")


async def _says_what_it_would_send(here: Site) -> bool:
    return "Would send POST" in await here.sh("kubectl get project shop -o jsonpath='{.status.message}'")
