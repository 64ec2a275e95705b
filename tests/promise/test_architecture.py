"""Chapter "Architecture" (EN-01, EN-02)."""

from __future__ import annotations

from tests.world.house import House, living
from tests.world.judge import owner_tags
from tests.world.manifests import project, vpc


async def test_en_01_resources_are_managed_declaratively() -> None:
    async with living() as house:
        assert await house.calls() == []
        await house.apply(vpc(tags=["front"]), project(description="Web shop"))
        await house.until(house.all_active)
        made = {row["kind"]: row for row in await house.resources()}
        assert {kind: row["name"] for kind, row in made.items()} == {"Project": "prj-a", "VPC": "net-a"}
        assert set(made["VPC"]["tags"]) - owner_tags(made["VPC"]) == {"front"}
        bodies = [call["requestBody"] for call in await house.writes()]
        assert [body["metadata"]["name"] for body in bodies] == ["prj-a", "net-a"]
        assert bodies[0]["properties"]["description"] == "Web shop"


async def test_en_02_cluster_and_cloud_are_brought_together_and_kept_so() -> None:
    """Created, looked at again while at rest, made again after somebody deleted it at the console, updated, deleted."""
    async with living() as house:
        await house.apply(project(), vpc())
        await house.until(house.all_active)
        (before,) = await house.resources("VPC")
        await house.admin("DELETE", f"resources/{before['id']}")
        await house.until(lambda: _another(house, before["id"]), within=300 * 1.1 + 10, every=2)
        (after,) = await house.resources("VPC")
        assert after["name"] == "net-a"
        assert (await house.status("VPC", "net-a"))["resourceID"] == after["id"]
        await house.patch("VPC", "net-a", {"spec": {"tags": ["blue", "green"]}})
        await house.until(lambda: _tagged(house, {"blue", "green"}))
        await house.until(house.all_active)
        await house.delete("VPC", "net-a")
        await house.until(lambda: _gone(house), every=1)
        assert await house.resources("VPC") == []
        assert (await house.status("Project", "prj-a"))["phase"] == "Active"


async def _another(house: House, resource_id: str) -> bool:
    status = await house.status("VPC", "net-a")
    return status["phase"] == "Active" and status["resourceID"] != resource_id


async def _tagged(house: House, tags: set[str]) -> bool:
    (row,) = await house.resources("VPC")
    return tags <= set(row["tags"])


async def _gone(house: House) -> bool:
    return await house.get("VPC", "net-a") is None
