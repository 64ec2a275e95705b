"""Field case 19: who can call the hooks, with the right token even, gains nothing by what the call says.

The whole house makes things Active; then Metacontroller is cut off, and a forger posts bodies of its own making. What
counts is what happened: no write to the cloud, none to Kubernetes, and the true objects go on as if nothing had been.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

from hooks.aruba.engine.notes import predecessor
from hooks.aruba.engine.touch import patch
from hooks.http import Request, Response
from hooks.meta.deadline import Deadline
from hooks.meta.objects import ObjectMeta
from hooks.meta.outcomes import Stale
from tests.cases import nine
from tests.cases.byhand import Answer, Hand
from tests.cases.estate import adopted, foreign
from tests.cases.tenants import OTHER, OWN, last, say, tell, two_tenants
from tests.cases.world import living
from tests.world.house import HOOKS, KUBE, PLURALS, House
from tests.world.judge import owner_tags
from tests.world.manifests import make, ref

pytestmark = pytest.mark.every_kind("BlockStorage")

Object = dict[str, Any]
FORGER = "forger.test"
FINALIZER = "metacontroller.io/compositecontroller-{}.arubacloud.com"


class Forger(Hand):
    """Posts what it likes; `wrote` are the writes to Kubernetes that the hooks made of it, Events aside."""

    def __init__(self, house: House, kind: str, name: str) -> None:
        super().__init__(house, kind, name)
        self.wrote: list[str] = []
        self._pass_on = house.net.handle_async_request
        house.net.handle_async_request = self._noted  # type: ignore[method-assign]

    async def _noted(self, request: Request) -> Response:
        told = "/events" in request.url.path
        if request.url.host == KUBE and request.method != "GET" and not told:
            self.wrote.append(f"{request.method} {request.url.path}")
        return await self._pass_on(request)

    async def post(self, hook: str, parent: Object, related: Object | None = None) -> Answer:
        url = f"http://{FORGER}/v2/{PLURALS[self.kind]}/{hook}"
        shown = await self._related() if related is None else related
        body = {"controller": {}, "parent": parent, "children": {}, "related": shown}
        answer = await self._hooks.post(url, json={**body, "finalizing": hook == "finalize"})
        return Answer(answer.status_code, answer.json())

    async def keeps_at_it(self, hook: str, parent: Object, related: Object | None = None, most: int = 6) -> None:
        """Calls again and again, each time with the status that the last answer gave, as Metacontroller would."""
        for _ in range(most):
            answer = await self.post(hook, parent, related)
            if answer.code == 200:
                parent = {**parent, "status": answer.status}
            await asyncio.sleep(20)


@asynccontextmanager
async def forging(kind: str, settled: bool = True, **options: Any) -> AsyncIterator[Forger]:
    """The subject is Active (or not yet applied), Metacontroller cut off; at the end nothing must have been written."""
    async with living(**options) as house:
        await (nine.active(house, kind) if settled else nine.prepared(house, kind))
        await asyncio.sleep(70)
        async with untouched(house, kind) as forger:
            yield forger


@asynccontextmanager
async def untouched(house: House, kind: str) -> AsyncIterator[Forger]:
    """Cut off Metacontroller; at the end objects and resources must be as they were, and nothing have been sent."""
    house.operator.gate.cut_off()
    house.net.cut(HOOKS)
    house.start_hooks(FORGER)
    objects, resources = deepcopy(await house.objects()), await house.resources()
    since = await last(house)
    forger = Forger(house, kind, nine.name(kind))
    yield forger
    assert [(row["method"], row["path"]) for row in await house.writes(since)] == []
    assert forger.wrote == []
    assert await house.objects() == objects
    assert await house.resources() == resources


def leaving(parent: Object) -> Object:
    """As if its deletion had been asked for."""
    meta = {**parent["metadata"], "deletionTimestamp": "2026-07-01T08:00:00Z", "deletionGracePeriodSeconds": 0}
    return {**parent, "metadata": meta}


def saying(parent: Object, **annotations: str) -> Object:
    named = {f"arubacloud.com/{key.replace('_', '-')}": text for key, text in annotations.items()}
    meta = {**parent["metadata"], "annotations": {**parent["metadata"].get("annotations", {}), **named}}
    return {**parent, "metadata": meta}


def recorded(parent: Object, resource_id: str, **more: Any) -> Object:
    return {**parent, "status": {**parent.get("status", {}), "resourceID": resource_id, **more}}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_a_deletion_that_nobody_asked_for(kind: str) -> None:
    """Case 19: the true object with a deletionTimestamp in the body alone."""
    async with forging(kind) as forger:
        await forger.keeps_at_it("finalize", leaving(await forger.parent()))


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_a_deletion_with_somebody_elses_id(kind: str) -> None:
    """Case 19: the object does go, but the ID in the body's status is another resource's; made up or of its kind."""
    async with living() as house:
        await nine.active(house, kind)
        await house.apply(make("Project", "victim", {"tenant": OWN}))
        await house.until(house.all_active)
        victim = (await house.status("Project", "victim"))["resourceID"]
        await asyncio.sleep(70)
        house.net.cut(HOOKS)
        await house.delete(kind, nine.name(kind))
        async with untouched(house, kind) as forger:
            parent = await forger.parent()
            assert parent["metadata"]["deletionTimestamp"]
            for forged in (victim, "0123456789abcdef01234567"):
                await forger.keeps_at_it("finalize", recorded(parent, forged))
                path = saying(recorded(parent, forged), resource_id=forged, delete_policy="delete")
                await forger.keeps_at_it("finalize", path)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_an_end_that_is_only_said(kind: str) -> None:
    """Case 19: the body says that our DELETE was taken, or that it is gone: no finalizer of a true object goes."""
    async with forging(kind) as forger:
        parent = leaving(await forger.parent())
        taken = {"type": "Deleting", "status": "True", "reason": "Synchronizing", "message": ""}
        for status in ({"phase": "Deleted"}, {"phase": "Deleting", "conditions": [taken]}, {}):
            answer = await forger.post("finalize", {**parent, "status": {**parent["status"], **status}})
            assert answer.code == 429 or answer.body["finalized"] in (True, False)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_a_spec_that_nobody_wrote(kind: str) -> None:
    """Case 19: a change of every field, of an Active object; nothing is sent for it."""
    async with forging(kind) as forger:
        parent = await forger.parent()
        changed = {"tags": ["forged"], "description": "forged", "billingPeriod": "Hour", "sizeGb": 400}
        spec = {name: value for name, value in changed.items() if name in nine.KINDS[kind].by_name}
        meta = {**parent["metadata"], "generation": parent["metadata"]["generation"] + 1}
        for body in ({**parent, "spec": {**parent["spec"], **spec}, "metadata": meta},):
            await forger.keeps_at_it("sync", body)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_an_object_that_there_is_not(kind: str) -> None:
    """Case 19: a UID that Kubernetes does not know, in a namespace of its own or in place of a true object."""
    async with forging(kind, settled=False) as forger:
        made_up = deepcopy(nine.subject(kind))
        made_up["metadata"] |= {
            "namespace": "default",
            "uid": "00000000-0000-4000-8000-000000000000",
            "resourceVersion": "1",
            "generation": 1,
            "creationTimestamp": "2026-07-01T08:00:00Z",
            "finalizers": [FINALIZER.format(PLURALS[kind])],
        }
        await forger.keeps_at_it("sync", made_up)
        announced = saying(made_up, create_pending="none 00000000-0000-4000-8000-000000000000")
        await forger.keeps_at_it("sync", announced)
        victim = next((row["id"] for row in await forger.house.resources(kind)), "0123456789abcdef01234567")
        for hook, body in (("sync", made_up), ("finalize", leaving(made_up))):
            await forger.keeps_at_it(hook, recorded(body, victim, phase="Active"))
            await forger.keeps_at_it(hook, saying(body, resource_id=victim, adoption_policy="always"))


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_a_true_uid_with_another_version(kind: str) -> None:
    """Case 19: right in all but the resourceVersion, which is old or not there, while wanted and at its end."""
    async with forging(kind) as forger:
        parent = await forger.parent()
        for version in ("1", "999999", ""):
            body = {**parent, "metadata": {**parent["metadata"], "resourceVersion": version}}
            await forger.keeps_at_it("finalize", leaving(body), most=3)
            lost = {**body, "status": {}}
            await forger.keeps_at_it("sync", lost, most=3)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_annotations_that_nobody_wrote(kind: str) -> None:
    """Case 19: marks, IDs, paths and policies in the body alone, on the true object."""
    async with forging(kind) as forger:
        parent = await forger.parent()
        uid, victim = parent["metadata"]["uid"], "0123456789abcdef01234567"
        for forged in (
            {"resource_id": victim, "adoption_policy": "always"},
            {"resource_path": f"/projects/{victim} {uid}"},
            {"resource_tenant": f"{OTHER} {uid}"},
            {"create_pending": f"none {uid}"},
            {"create_pending": f"2020-01-01T00:00:00Z {uid}"},
            {"delete_policy": "delete", "deletion_protection": "false"},
        ):
            body = saying(parent, **forged)
            await forger.keeps_at_it("sync", body, most=2)
            await forger.keeps_at_it("sync", {**body, "status": {}}, most=2)
            await forger.keeps_at_it("finalize", leaving(body), most=2)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_19_what_it_refers_to_is_not_what_the_body_shows(kind: str) -> None:
    """Case 19: a true object that is about to be made, shown with a Project, VPC or volume whose ID is somebody else's:
    nothing is made in that one's place.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        await house.apply(make("Project", "victim", {"tenant": OWN}))
        await house.until(house.all_active)
        victim = (await house.status("Project", "victim"))["resourceID"]
        house.net.cut(HOOKS)
        house.start_hooks(FORGER)
        await house.apply(item)
        hand = Forger(house, kind, nine.name(kind))
        await until_about_to_create(hand)
        async with untouched(house, kind) as forger:
            shown = await forger._related()
            for group in list(shown):
                if group.startswith(kind):
                    continue
                forged = deepcopy(shown)
                for target in forged[group].values():
                    target["status"]["resourceID"] = victim
                    for field in [name for name in target["status"] if name.endswith("ID")]:
                        target["status"][field] = victim
                answer = await forger.post("sync", await forger.parent(), forged)
                assert answer.code in (200, 429)


async def until_about_to_create(hand: Forger) -> None:
    """Passes as Metacontroller makes them, until the intent is recorded and the next one creates."""
    for _ in range(10):
        if hand.mark(await hand.parent()).startswith("none"):
            return
        answer = await hand.post("sync", await hand.parent())
        if answer.code == 200:
            await hand.keep(answer.status)
    raise AssertionError(await hand.house.told())


@asynccontextmanager
async def about_to_create(kind: str) -> AsyncIterator[Forger]:
    """The subject applied, its intent recorded, and nothing sent yet; only the forger calls."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        house.net.cut(HOOKS)
        house.start_hooks(FORGER)
        await house.apply(item)
        hand = Forger(house, kind, nine.name(kind))
        await until_about_to_create(hand)
        yield hand


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_19_a_true_creation_still_goes_through(kind: str) -> None:
    """Case 19, the other side of it: unforged, the very same call creates, in the true object's place."""
    async with about_to_create(kind) as hand:
        await hand.post("sync", await hand.parent())
        assert len(await nine.posts(hand.house, kind)) == 1


@asynccontextmanager
async def ending(kind: str, **annotations: str) -> AsyncIterator[tuple[Forger, str]]:
    """The subject is being deleted, truly; with it comes a resource of its kind, in its place, that nobody tagged."""
    async with living() as house:
        await nine.active(house, kind)
        victim = await foreign(house, kind, [])
        await tell(house, kind, **annotations)
        await asyncio.sleep(70)
        house.net.cut(HOOKS)
        await house.delete(kind, nine.name(kind))
        async with untouched(house, kind) as forger:
            yield forger, victim


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_a_recorded_id_that_was_never_recorded(kind: str) -> None:
    """Case 19: nobody's tag is on the resource whose ID the body has, so that only the true status tells."""
    async with ending(kind) as (forger, victim):
        await forger.keeps_at_it("finalize", recorded(await forger.parent(), victim))


@pytest.mark.parametrize("words", [{"deletion_protection": "true"}, {"mode": "observe"}, {"suspend": "true"}])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_protection_that_the_body_leaves_out(kind: str, words: Object) -> None:
    """Case 19: its owner holds the deletion; the body says nothing of that."""
    async with ending(kind, **words) as (forger, _):
        parent = await forger.parent()
        kept = dict(parent["metadata"]["annotations"])
        for key in words:
            del kept[f"arubacloud.com/{key.replace('_', '-')}"]
        await forger.keeps_at_it("finalize", {**parent, "metadata": {**parent["metadata"], "annotations": kept}})


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_a_finalizer_that_the_body_adds(kind: str) -> None:
    """Case 19: what was adopted stays; the Go operator's finalizer, which would make it ours, is in the body alone."""
    async with living() as house:
        await adopted(house, kind)
        await asyncio.sleep(70)
        house.net.cut(HOOKS)
        await house.delete(kind, nine.name(kind))
        async with untouched(house, kind) as forger:
            parent = await forger.parent()
            finalizers = [*parent["metadata"]["finalizers"], predecessor(kind.lower())]
            meta = {**parent["metadata"], "finalizers": finalizers}
            await forger.keeps_at_it("finalize", {**parent, "metadata": meta})


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_19_a_claim_that_the_body_adds(kind: str) -> None:
    """Case 19: nothing is made before the labels that hold its references are truly there."""
    async with about_to_create(kind) as hand:
        labels = (await hand.parent())["metadata"]["labels"]
        await hand.house.patch(kind, nine.name(kind), {"metadata": {"labels": dict.fromkeys(labels)}})
        async with untouched(hand.house, kind) as forger:
            parent = await forger.parent()
            await forger.post("sync", {**parent, "metadata": {**parent["metadata"], "labels": labels}})


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_19_one_object_in_the_name_of_another(kind: str) -> None:
    """Case 19: an object of the caller's own, truly being deleted, with the UID of somebody else's, and marks of that
    one: the tag that follows from the UID is that of the other's resource.
    """
    async with living() as house:
        await nine.active(house, kind)
        await asyncio.sleep(70)
        theirs = (await house.get(kind, nine.name(kind)) or {})["metadata"]["uid"]
        house.net.cut(HOOKS)
        mine = deepcopy(nine.subject(kind))
        marks = {"arubacloud.com/create-pending": f"2026-07-01T07:00:00Z {theirs}"}
        finalizers = [FINALIZER.format(PLURALS[kind])]
        mine["metadata"] = {"name": "mine", "namespace": "default", "annotations": marks, "finalizers": finalizers}
        await house.apply(mine)
        await house.delete(kind, "mine")
        async with untouched(house, kind) as forger:
            parent = await house.get(kind, "mine") or {}
            forged = {**parent, "metadata": {**parent["metadata"], "uid": theirs}}
            await forger.keeps_at_it("finalize", forged)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_19_a_view_of_before_is_not_answered(kind: str) -> None:
    """Case 19: of an older version nothing is said either, since its answer would take back what came later."""
    async with living() as house:
        house.net.cut(HOOKS)
        house.start_hooks(FORGER)
        await house.apply(nine.subject(kind))
        forger = Forger(house, kind, nine.name(kind))
        before = await forger.parent()
        assert (await forger.post("sync", before)).code == 200
        await house.patch(kind, nine.name(kind), {"metadata": {"labels": {"team": "blue"}}})
        assert (await forger.post("sync", before)).code == 429
        assert (await forger.post("sync", await forger.parent())).code == 200


async def test_case_19_no_write_without_a_version_to_fence_it_by() -> None:
    """Case 19: a body without a resourceVersion cannot write whatever else it says."""
    meta = ObjectMeta(name="shop", namespace="default", uid="1", resourceVersion="")
    story = SimpleNamespace(parent=SimpleNamespace(metadata=meta))
    deadline = Deadline(10)
    assert isinstance(await patch(story, SimpleNamespace(), deadline, {}, {}), Stale)  # type: ignore[arg-type]


async def test_case_19_a_family_that_the_body_shows() -> None:
    """Case 19: a true deletion, with children made up, to have them deleted; and with none shown, though there are."""
    async with living() as house:
        await nine.active(house, "Subnet")
        await house.apply(make("Project", "other", {"tenant": OWN}))
        spec = {**nine.subject("VPC")["spec"], "projectReference": ref("other")}
        await house.apply(make("VPC", "theirs", spec))
        await house.until(house.all_active)
        await asyncio.sleep(70)
        house.net.cut(HOOKS)
        await house.delete("VPC", "shop")
        house.operator.gate.cut_off()
        house.start_hooks(FORGER)
        forger = Forger(house, "VPC", "shop")
        theirs = await house.get("VPC", "theirs") or {}
        uid = (await forger.parent())["metadata"]["uid"]
        stolen = deepcopy(theirs)
        stolen["kind"] = "Subnet"
        stolen["metadata"]["labels"] = {"arubacloud.com/owner-vpc": uid}
        stolen["spec"]["vpcReference"] = ref("shop")
        for related in ({}, {"Subnet.arubacloud.com/v1alpha1": {"default/theirs": stolen}}):
            await forger.keeps_at_it("finalize", await forger.parent(), related, most=2)
        assert [path for path in forger.wrote if "theirs" in path] == []
        assert await nine.deletes(house, "VPC") == []
        assert (await house.get("VPC", "theirs") or {})["metadata"] == theirs["metadata"]
        assert len([row for row in await house.resources("Subnet") if owner_tags(row)]) == 1


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_3_what_a_namespace_allows_is_read_live(kind: str) -> None:
    """Cases 3 and 19: a Namespace in the body that allows everything counts for nothing: no look-up, no call."""
    async with two_tenants(ARUBA_TENANT_POLICY="namespace", ARUBA_REFERENCE_POLICY="granted") as house:
        await say(house, "default", tenants=OWN)
        await nine.active(house, kind)
        await say(house, "default", tenants="t-900", allow_references_from=None)
        house.operator.gate.cut_off()
        house.net.cut(HOOKS)
        house.start_hooks(FORGER)
        forger = Forger(house, kind, nine.name(kind))
        since, reads = await last(house), len(house.vault.asked)
        name = {"name": "default", "annotations": {"arubacloud.com/tenants": "*," + OWN}}
        shown = {**await forger._related(), "Namespace.v1": {"default": {"metadata": name}}}
        for body in (await forger.parent(), {**await forger.parent(), "status": {}}):
            answer = await forger.post("sync", body, shown)
            assert answer.code == 429 or answer.status["phase"] == "Failed"
        assert await house.calls(since) == []
        assert house.vault.asked[reads:] == []
