"""Every field that cannot change after creation, before there is anything: what was refused can be put right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import nine
from tests.cases.world import living
from tests.scenarios.edits import attempt, edit, present, up_to_date
from tests.scenarios.fixed import FIXED, GOOD, WRONG, extras, spec_with
from tests.scenarios.upstream import post_of, shown, standing, until_standing
from tests.world.house import House

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]


def refusal(field: str) -> Object:
    """A create refused for the value of a field, in the cloud's words."""
    errors = [{"field": field.rpartition(".")[2], "message": "is not liked today"}]
    return {"status": 400, "body": {"title": "Bad Request", "status": 400, "errors": errors}}


async def world_for(house: House, kind: str, field: str) -> None:
    """All that the subject needs, and what other values of the field refer to, Active."""
    names = {value["name"] for value in values_of(kind, field) if isinstance(value, dict)}
    found = [item for name in sorted(names) for item in extras(kind, field, name)]
    await house.apply(*nine.needs(kind), *found)
    await house.until(house.all_active)


def values_of(kind: str, field: str) -> list[Any]:
    """The values besides the subject's own that a test uses."""
    wrong, good = WRONG.get((kind, field)), GOOD.get((kind, field))
    return [value for value in (wrong and wrong.value, good) if value is not None]


def test_every_fixed_field_is_here() -> None:
    """So that one more in a declaration is one more here."""
    assert [one for one in FIXED if one not in WRONG and one not in GOOD] == []
    assert {kind for kind, _ in FIXED} == set(nine.CHILDREN)


class Subject:
    """The subject of a kind, whose edits are counted against the creates that the cloud must have seen."""

    def __init__(self, house: House, kind: str, field: str) -> None:
        self.house, self.kind, self.field = house, kind, field
        self.uid = ""
        self.refused = 0

    async def becomes(self, value: Any) -> None:
        """Applied with the value, or edited to it."""
        if self.uid:
            await edit(self.house, self.kind, self.field, value)
            return
        await self.house.apply(spec_with(self.kind, self.field, value))
        self.uid = (await shown(self.house, self.kind))["metadata"]["uid"]

    async def fails(self, reason: str, told: str) -> None:
        """Failed for this reason and no other, without a create where a rule says so."""
        self.refused += reason == "ValidationFailed"

        async def failed() -> bool:
            status = (await shown(self.house, self.kind)).get("status", {})
            return status.get("phase") == "Failed" and told in status["message"]

        await self.house.until(failed, within=20)
        assert await standing(self.house, self.kind) == f"Failed/{reason}"
        assert [call["status"] for call in await nine.posts(self.house, self.kind)] == [400] * self.refused

    async def is_made(self) -> None:
        await self.house.until(lambda: up_to_date(self.house, self.kind), within=20)
        item = await shown(self.house, self.kind)
        assert item["metadata"]["uid"] == self.uid
        assert [row["id"] for row in await nine.ever(self.house, self.kind)] == [item["status"]["resourceID"]]
        assert [call["status"] for call in await nine.posts(self.house, self.kind)] == [400] * self.refused + [201]


@pytest.mark.parametrize(("kind", "field"), FIXED)
async def test_what_was_refused_can_be_put_right(kind: str, field: str) -> None:
    """Refused by a rule or by the cloud itself, put right, refused by the cloud once more, put right: every edit passes
    the API server, and at last it is made: the same object all along, and one resource.
    """
    own, good, wrong = present(kind, field), GOOD.get((kind, field)), WRONG.get((kind, field))
    async with living() as house:
        await world_for(house, kind, field)
        subject = Subject(house, kind, field)
        if wrong is not None:
            await subject.becomes(wrong.value)
            await subject.fails(wrong.reason, wrong.told)
        await house.faults({"match": post_of(kind), "times": 1, "then": refusal(field)})
        await subject.becomes(own)
        await subject.fails("ValidationFailed", f"{field.rpartition('.')[2]}: is not liked today")
        if good is None:
            await subject.becomes(wrong.value)
            await subject.fails(wrong.reason, wrong.told)
        await subject.becomes(own if good is None else good)
        await subject.is_made()


async def test_a_projects_tenant_is_fixed_from_the_start() -> None:
    """The one exception (design §4): upstream's rule, refused at once, also while there is no resource."""
    async with living() as house:
        await house.faults({"match": post_of("Project"), "then": refusal("name")})
        await house.apply(nine.subject("Project"))
        await until_standing(house, "Project", "Failed/ValidationFailed")
        for tenant in ("ARU-000002", None):
            answer = await attempt(house, "Project", {"tenant": tenant})
            assert answer.status_code == 422
            assert "spec.tenant" in answer.json()["message"]
