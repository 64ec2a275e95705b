"""A deletion that the cloud refuses says at once what is in the way, and ends when it is gone (design §6)."""

from __future__ import annotations

from tests.world.house import living
from tests.world.manifests import project


async def test_a_project_names_what_is_still_inside_without_an_object() -> None:
    async with living() as house:
        await house.apply(project())
        await house.until(house.all_active)
        project_id = (await house.status("Project", "prj-a"))["resourceID"]
        made = {"kind": "VPC", "projectId": project_id, "name": "by-hand", "tags": [], "properties": {}}
        foreign = await house.admin("POST", "resources", made)
        await house.delete("Project", "prj-a")

        async def told() -> bool:
            return "by-hand" in (await house.status("Project", "prj-a")).get("message", "")

        await house.until(told, within=10)
        status = await house.status("Project", "prj-a")
        conditions = {c["type"]: c for c in status["conditions"]}
        assert status["phase"] == "Deleting"
        assert "project can't be deleted due to the presence of resources" in status["message"]
        assert (conditions["Stalled"]["status"], conditions["Ready"]["reason"]) == ("True", "DeleteRefused")

        [vpc] = await house.resources("VPC")
        assert vpc["name"] == "by-hand", foreign
        await house.admin("DELETE", f"resources/{vpc['id']}")
        await house.until(house.all_gone, within=400)
        assert await house.resources() == []
