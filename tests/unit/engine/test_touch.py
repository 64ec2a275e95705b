"""What the live object of a version may have beside what the call shows of it: nothing that a true call would not."""

from __future__ import annotations

from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

from hooks.aruba.engine.story import Otherwise
from hooks.aruba.engine.touch import unless_stale
from hooks.contract.requests import Parent
from hooks.meta.outcomes import Stale

Object = dict[str, Any]
LIVE: Object = {
    "apiVersion": "arubacloud.com/v1alpha1",
    "kind": "VPC",
    "metadata": {
        "name": "net-a",
        "namespace": "team-blue",
        "uid": "u-1",
        "resourceVersion": "7",
        "generation": 2,
        "creationTimestamp": "2026-07-01T08:00:00Z",
        "labels": {"team": "blue"},
        "annotations": {"arubacloud.com/mode": "manage"},
        "finalizers": ["one"],
    },
    "spec": {"tenant": "t-100", "tags": ["one-tag"], "projectReference": {"name": "shop", "namespace": "team-blue"}},
    "status": {"phase": "Pending", "conditions": [{"type": "Pending", "status": "True"}]},
}


class Kube:
    async def read(self, *_where: Any) -> Object:
        return LIVE


async def judged(shown: Object) -> Any:
    parent = Parent.model_validate(shown)
    story: Any = SimpleNamespace(parent=parent, kind=SimpleNamespace(names=SimpleNamespace(plural="vpcs")))
    ports: Any = SimpleNamespace(kube=Kube())
    deadline: Any = None
    return await unless_stale(story, ports, deadline, whole=True)


def changed(part: str, **more: Any) -> Object:
    """What the call shows instead; None takes a member away."""
    made = deepcopy(LIVE)
    made[part] = {name: value for name, value in {**made[part], **more}.items() if value is not None}
    return made


async def test_the_object_as_it_is() -> None:
    assert await judged(deepcopy(LIVE)) is None


@pytest.mark.parametrize(
    "more",
    [
        {"generation": 3},
        {"creationTimestamp": "1999-01-01T00:00:00Z"},
        {"creationTimestamp": None},
        {"labels": {"team": "green"}},
        {"labels": None},
        {"annotations": {"arubacloud.com/mode": "manage", "more": ""}},
        {"finalizers": ["one", "two"]},
    ],
)
async def test_metadata_is_no_schemas_business(more: Object) -> None:
    """Case 19: a generation or an age in the body alone ends no pause and wins no contest."""
    assert isinstance(await judged(changed("metadata", **more)), Stale)


@pytest.mark.parametrize(
    "shown",
    [
        changed("spec", tenant="t-200"),
        changed("spec", tags=["one-tag", "two-tags"]),
        changed("spec", projectReference={"name": "other"}),
        changed("status", phase="Active"),
        changed("status", conditions=[{"type": "Pending", "status": "False"}]),
    ],
)
async def test_what_says_something_else_was_made_up(shown: Object) -> None:
    assert isinstance(await judged(shown), Stale)


@pytest.mark.parametrize(
    "shown",
    [
        changed("spec", tags=None),
        changed("spec", colour="blue"),
        changed("spec", projectReference={"name": "shop"}),
        changed("status", conditions=[{"type": "Pending"}]),
    ],
)
async def test_more_or_less_of_the_same_is_another_schema(shown: Object) -> None:
    """Case 113: then the object as it is counts."""
    assert await judged(shown) == Otherwise(LIVE)
