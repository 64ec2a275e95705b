"""Which kubeconfig the commands take, and how they read what a server answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooks.cli.cluster import OURS, Cluster, at, kubeconfig, path_name
from hooks.http import AsyncBaseTransport, AsyncClient, Request, Response
from hooks.kube import Unusable
from hooks.meta.outcomes import Trouble
from tests.unit.cli.installed import Installed, status
from tests.unit.cli.test_release import quiet
from tests.world.house import KUBE
from tests.world.manifests import vpc
from tests.world.time import LoopClock


def test_the_file_is_found_where_kubectl_finds_it(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert kubeconfig(None, home) is None
    (tmp_path / ".kube").mkdir()
    usual = tmp_path / ".kube" / "config"
    usual.write_text("{}")
    assert kubeconfig(None, home) == usual
    assert kubeconfig(None, {**home, "KUBECONFIG": "/other"}) == Path("/other")
    assert kubeconfig(Path("/given"), {**home, "KUBECONFIG": "/other"}) == Path("/given")


def test_several_files_are_not_merged() -> None:
    with pytest.raises(Unusable, match="pass --kubeconfig"):
        kubeconfig(None, {"KUBECONFIG": "/a:/b"})


async def test_what_is_not_there_is_none_and_what_is_refused_is_told() -> None:
    world = Installed()
    world.paths |= {"/refused": status(403, "not you"), "/listed": {"items": [{}, "odd", {}]}, "/odd": {"items": None}}
    async with AsyncClient(transport=world, base_url="http://kube.test") as client:
        cluster = Cluster(client, LoopClock())
        assert await cluster.get("/missing") is None
        assert await cluster.items("/missing") is None
        assert isinstance(await cluster.get("/refused"), Trouble)
        assert isinstance(await cluster.items("/refused"), Trouble)
        assert await cluster.items("/listed") == [{}, {}]
        assert await cluster.items("/odd") == []


async def test_a_long_collection_is_read_page_by_page() -> None:
    async with quiet() as house:
        await house.apply(*(vpc(f"net-{number}") for number in range(3)))
        seen: list[str] = []

        class Pages(AsyncBaseTransport):
            async def handle_async_request(self, request: Request) -> Response:
                seen.append(str(request.url))
                request.url = request.url.copy_merge_params({"limit": "1"})
                return await house.net.handle_async_request(request)

        async with AsyncClient(transport=Pages(), base_url=f"http://{KUBE}") as client:
            found = await Cluster(client, house.clock).items(f"{OURS}/vpcs")
        assert [path_name(item) for item in found] == ["default/net-0", "default/net-1", "default/net-2"]
        assert len(seen) == 3


def test_foreign_json_is_read_step_by_step() -> None:
    item = {"metadata": {"name": "a"}, "list": [{"x": 1}], "text": "t"}
    assert at(item, "list", 0, "x") == 1
    assert at(item, "list", 1, "x") is None
    assert at(item, "text", "x") is None
    assert at(None, "x") is None
    assert path_name(item) == "a"
    assert path_name({"metadata": {"name": "a", "namespace": "n"}}) == "n/a"
