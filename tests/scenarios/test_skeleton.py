"""The walking skeleton: a VPC under a Project, from apply to Active and gone."""

from __future__ import annotations

from tests.world.house import living
from tests.world.manifests import project, vpc


async def test_vpc_under_project_from_apply_to_gone() -> None:
    async with living() as house:
        await house.apply(vpc(), project())
        await house.until(house.all_active)
        assert len(await house.resources()) == 2
        await house.delete("Project", "prj-a")
        await house.until(house.all_gone)
        assert await house.resources() == []
        assert [c["method"] for c in await house.writes()] == ["POST", "POST", "DELETE", "DELETE"]
