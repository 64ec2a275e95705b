"""Chapter "Cascade Deletion" (EN-41 to EN-48)."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from hooks.simulator import load_timings
from tests.promise.films import has_phase
from tests.promise.test_conditions import calls_of
from tests.promise.test_ownership import OWNERS
from tests.world.film import Film, first, when
from tests.world.house import House, living
from tests.world.judge import no_refusals
from tests.world.manifests import fixture_set, make, project, ref, spread, vpc

Object = dict[str, Any]
DIRECT = {kind for kind, owner in OWNERS.items() if owner == "Project"}
PARENTS = [("SecurityGroup", ["SecurityRule"]), ("VPC", ["Subnet", "SecurityGroup"]), ("Project", sorted(DIRECT))]


def marked(life: Film, kind: str, name: str) -> datetime:
    """When the object first showed a deletionTimestamp."""
    return next(frame.at for frame in life.of(kind, name) if "deletionTimestamp" in frame.meta)


def children(life: Film, kinds: list[str]) -> list[tuple[str, str]]:
    return [(kind, name) for kind, name in life.objects() if kind in kinds]


def deleted(life: Film, kind: str, name: str = "shop") -> datetime:
    """When the DELETE of its resource arrived at the cloud."""
    return calls_of(life, kind, name)[1]


def test_en_41_deleting_a_parent_deletes_its_direct_children(life: Film) -> None:
    for parent, kinds in PARENTS:
        began = marked(life, parent, "shop")
        for kind, name in children(life, kinds):
            assert began <= marked(life, kind, name) < deleted(life, parent), f"{kind} {name}"
    assert began == life.marks["delete"]


def test_en_42_the_parent_waits_for_its_children_to_be_deleted(life: Film) -> None:
    for parent, kinds in PARENTS:
        shown = [first(life.of(kind, name), "Deleted").at for kind, name in children(life, kinds)]
        assert max(shown) < deleted(life, parent)
        waiting = first(life.of(parent), "Deleting", "ShallSynchronize")
        assert waiting.status["message"].startswith("Waiting until what belongs to it is gone: ")
        named = [kind for kind in kinds if f"{kind} default/" in waiting.status["message"]]
        assert named, waiting.status["message"]


def test_en_43_the_parent_is_then_deleted_in_the_cloud(life: Film) -> None:
    for parent, kinds in PARENTS:
        objects = [life.of(kind, name)[-1] for kind, name in children(life, kinds)]
        assert {frame.verb for frame in objects} == {"DELETED"}
        last = max(frame.at for frame in objects)
        assert last < deleted(life, parent) < last + timedelta(seconds=2)
    (call,) = [c for c in life.sent("DELETE") if c["path"].count("/") == 2]
    assert call["status"] == 204
    assert life.sent("DELETE")[-1] == call


def test_en_44_the_finalizer_goes_last(life: Film) -> None:
    """Kept through Deleted, until the cloud's own answer has shown that the resource is gone."""
    for (kind, name), frames in life.objects().items():
        finalizer = f"metacontroller.io/compositecontroller-{_plural(kind)}.arubacloud.com"
        holding = [frame for frame in frames[1:] if frame.verb == "MODIFIED"]
        assert {tuple(frame.meta.get("finalizers", [])) for frame in holding} == {(finalizer,)}
        assert holding[-1].phase == "Deleted"
        gone = frames[-1]
        assert gone.verb == "DELETED"
        row = next(row for row in life.resources if row["id"] == holding[-1].status["resourceID"])
        looked = [c for c in life.sent("GET", row["id"]) if deleted(life, kind, name) <= when(c) <= gone.at]
        assert looked[-1]["status"] == 404
        assert datetime.fromisoformat(row["deletedAt"]) <= when(looked[-1])


def _plural(kind: str) -> str:
    return f"{kind.lower()}s"


def test_en_45_deleting_a_project_cleans_up_everything_in_order(life: Film) -> None:
    """Servers first, then what they used, groups after their rules, the VPC after its parts; no DELETE is refused."""
    assert [row["kind"] for row in life.resources if not row["deletedAt"]] == []
    assert {c["status"] for c in life.sent("DELETE")} == {202, 204}
    server = next(row["deletedAt"] for row in life.resources if row["kind"] == "CloudServer")
    for kind, name in life.objects():
        if kind != "CloudServer":
            assert deleted(life, kind, name) > datetime.fromisoformat(server)
    order = [deleted(life, kind) for kind in ("CloudServer", "Subnet", "SecurityGroup", "VPC", "Project")]
    assert order == sorted(order)


async def test_en_46_a_deep_hierarchy_may_take_minutes_and_still_ends(tmp_path: Path) -> None:
    """Four levels, four minutes each: longer than the time-out of a phase, and nothing fails on the way."""
    kinds = ["VPC", "SecurityGroup", "SecurityRule"]
    file = tmp_path / "slow.yaml"
    file.write_text(yaml.safe_dump({kind: {"create": "1s", "update": "1s", "delete": "240s"} for kind in kinds}))
    async with living(timings=load_timings(str(file))) as house:
        await house.apply(*fixture_set("Test4"))
        await house.until(house.all_active)
        await house.delete("Project", "shop")
        seen: set[str] = set()
        took = await house.until(lambda: _gone_noting(house, seen), within=840, every=5)
        assert took > 720
        assert seen <= {"Active", "Deleting", "Deleted"}
        assert await house.resources() == []
        await no_refusals(house)


async def _gone_noting(house: House, seen: set[str]) -> bool:
    items = await house.objects()
    seen |= {item["status"]["phase"] for item in items}
    return not items


async def test_en_47_deleting_the_project_empties_the_namespace() -> None:
    """Whatever state its objects are in: Active, Pending for ever, refused by the cloud, or in conflict."""
    async with living() as house:
        spec = {"tenant": "t-100", "projectReference": ref("prj-a", "shop")}
        group = make("SecurityGroup", "sg-pending", {**spec, "vpcReference": ref("net-refused", "shop")}, "shop")
        await house.apply(
            project(namespace="shop"),
            vpc("net-active", "shop", **spec),
            vpc("net-refused", "shop", **spec, tags=["abc"]),
            vpc("net-conflict", "shop", **{**spec, "tenant": "t-200"}),
            group,
        )
        for name, phase in {"active": "Active", "refused": "Failed", "conflict": "Failed"}.items():
            await house.until(lambda: has_phase(house, "VPC", f"net-{name}", phase, "shop"))  # noqa: B023
        assert await has_phase(house, "SecurityGroup", "sg-pending", "Pending", "shop")
        await house.delete("Project", "prj-a", "shop")
        await house.until(house.all_gone)
        assert await house.resources() == []
        assert (await house.kube.delete("/api/v1/namespaces/shop")).status_code == 200
        await house.until(lambda: _no_namespace(house, "shop"), within=10)


async def _no_namespace(house: House, name: str) -> bool:
    return (await house.kube.get(f"/api/v1/namespaces/{name}")).status_code == 404


async def test_en_48_everything_beneath_the_project_goes() -> None:
    """In whatever namespace it lies; what belongs to another Project stays, in the same namespaces too."""
    async with living() as house:
        spaces = ["blue", "green", "red"]
        await house.apply(*spread(fixture_set("Test5"), spaces), *spread(fixture_set("Test5", "other"), spaces))
        await house.until(house.all_active)
        home = next(o["metadata"]["namespace"] for o in await house.list("Project") if o["metadata"]["name"] == "shop")
        await house.delete("Project", "shop", home)
        await house.until(lambda: _only_other(house))
        left = {(o["kind"], o["metadata"]["name"]) for o in await house.objects()}
        assert left == {(o["kind"], o["metadata"]["name"]) for o in fixture_set("Test5", "other")}
        assert {o["status"]["phase"] for o in await house.objects()} == {"Active"}
        assert len(await house.resources()) == len(left)


async def _only_other(house: House) -> bool:
    return not [o for o in await house.objects() if o["metadata"]["name"].endswith("shop")]
