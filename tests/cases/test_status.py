"""Field cases 12 and 33: no answer loses an identity, and every state of the cloud has a meaning."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.clock import seeded
from tests.cases import nine
from tests.cases.byhand import HAND, Answer, Hand, by_hand
from tests.cases.test_concurrency import CHANGED
from tests.world.judge import condition
from tests.world.time import EPOCH

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
PROBLEM = {"title": "Not Found", "status": 404}
WRONG = {"title": "Bad Request", "status": 400, "errors": [{"fieldName": "Name", "errorMessage": "is not liked"}]}
BUSY = {"title": "Bad Request", "status": 400, "errors": [{"fieldName": "Status", "errorMessage": "is Updating"}]}
HTML = {"text": "<html><body>Bad gateway</body></html>", "headers": {"content-type": "text/html"}}
BRANCHES: dict[str, Object] = {
    "invalid": {"status": 400, "body": WRONG},
    "not ready": {"status": 400, "body": BUSY},
    "bare 400": {"status": 400, "body": {"title": "Vpc.Read.InvalidStatus", "status": 400}},
    "html 400": {"status": 400, **HTML},
    "401": {"status": 401, "body": {"title": "Unauthorized"}},
    "403": {"status": 403, "body": {"title": "Forbidden"}},
    "404": {"status": 404, "body": PROBLEM},
    "html 404": {"status": 404, **HTML},
    "405": {"status": 405},
    "408": {"status": 408},
    "409": {"status": 409, "body": {"title": "Conflict"}},
    "413": {"status": 413},
    "422": {"status": 422},
    "429": {"status": 429, "headers": {"retry-after": "7"}},
    "500": {"status": 500, "body": {}},
    "html 502": {"status": 502, **HTML},
    "503": {"status": 503, "headers": {"retry-after": "3"}},
    "not JSON": {"status": 200, "text": "yes"},
    "other JSON": {"status": 200, "body": []},
    "cut before": {"drop": "before"},
    "cut after": {"drop": "after"},
    "slow": {"delay": 40},
}
WHERE: dict[str, Object] = {
    "everything": {},
    "reads": {"method": "GET"},
    "writes": {"method": "PUT|POST|DELETE"},
    "token": {"path": "/token$"},
}
REASONS = {
    "CREATED": {"Creating": ("True", "Synchronizing")},
    "ACTIVE": {},
    "DELETING": {"Creating": ("False", "Synchronized"), "Deleting": ("True", "Synchronizing")},
}


def identities(status: Object) -> Object:
    return {key: value for key, value in status.items() if key.endswith(("ID", "IDs"))}


def remembered(status: Object, moment: str) -> Object:
    """The status of an Active object as it was at some other moment of its life."""
    if not REASONS[moment]:
        return dict(status)
    phase = list(REASONS[moment])[-1]
    conditions = [
        {
            "type": name,
            "status": value,
            "reason": reason,
            "message": "",
            "observedGeneration": 1,
            "lastTransitionTime": EPOCH.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        for name, (value, reason) in REASONS[moment].items()
    ]
    started = EPOCH.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return {**status, "phase": phase, "phaseStartTime": started, "conditions": conditions}


async def _strike(hand: Hand, where: str, then: Object) -> None:
    """The fault in force, and a replica that remembers nothing, so that it is met."""
    await hand.house.admin("DELETE", "faults")
    match = dict(WHERE[where])
    methods = str(match.pop("method", "")).split("|")
    await hand.house.faults(
        *({"match": {**match, **({"method": method} if method else {})}, "then": then} for method in methods)
    )
    hand.house.start_hooks(HAND)


@pytest.mark.parametrize("finalizing", [False, True], ids=["sync", "finalize"])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_12_no_error_branch_loses_an_identity(kind: str, finalizing: bool) -> None:
    """Case 12 (a), (c): a status full of IDs, every kind of fault at every place: the answer is not 200, or it holds
    every identity.
    """
    async with by_hand(kind, settled=True) as hand:
        status = (await hand.parent())["status"]
        await hand.house.patch(kind, nine.name(kind), {"spec": CHANGED.get(kind, {})})
        if kind == "CloudServer":
            await hand.sync()  # what it no longer refers to loses its mark; the change itself comes with the next pass
        if finalizing:
            await hand.house.delete(kind, nine.name(kind))
        chance = seeded(12)
        lost, answered = [], 0
        for where in WHERE:
            for branch, then in BRANCHES.items():
                moment = list(REASONS)[int(chance.uniform(0, len(REASONS)))]
                before = remembered(status, moment)
                await _strike(hand, where, then)
                await hand.keep(before)
                answer = await hand.call("finalize" if finalizing else "sync", await hand.parent())
                answered += answer.code == 200
                if not _kept(answer, before):
                    lost.append((where, branch, moment, answer))
        assert lost == []
        assert answered > len(BRANCHES)


def _kept(answer: Answer, before: Object) -> bool:
    if answer.code != 200:
        return answer.code in (429, 503)
    kept = identities(before)
    return {key: answer.status.get(key) for key in kept} == kept


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_12_parent_without_the_status_just_written(kind: str) -> None:
    """Case 12 (b): two syncs with the same parent, whose status is empty, right after a create: no other POST.
    Departs: they are answered 429, since a 200 could only show a status without the ID (design §5.4).
    """
    async with by_hand(kind) as hand:
        await hand.until_mark("none")
        before = await hand.parent()
        made = (await hand.sync()).status["resourceID"]
        stale = {**await hand.parent(), "status": {}}
        unmarked = {**before, "status": {}, "metadata": {**before["metadata"], "annotations": {}}}
        answers = [await hand.call("sync", parent) for parent in (stale, stale, unmarked)]
        assert [answer.code for answer in answers] == [429, 429, 429]
        await asyncio.sleep(3)
        again = await hand.call("sync", stale)
        assert again.status["resourceID"] == made
        assert len(await nine.posts(hand.house, kind)) == 1


CHANGING = ["InCreation", "Creating", "Updating", "Provisioning", "Disabling", "Enabling", "Pending"]
SETTLED = ["Active", "Running", "Stopped", "NotUsed", "Reserved", "InUse", "Used", "active", "NOTUSED"]
BROKEN = ["Failed", "Error", "Disabled"]
STRANGE = ["Quarantined", "Active ", "42"]
Shown = tuple[str, str, str, str]
MEANING: dict[str | None, Shown] = {
    **dict.fromkeys(CHANGING, ("Updating", "False", "Updating", "False")),
    **dict.fromkeys(SETTLED, ("Active", "True", "Available", "False")),
    **dict.fromkeys(BROKEN, ("Failed", "False", "CloudFailed", "True")),
    **dict.fromkeys(STRANGE, ("Updating", "Unknown", "UnknownState", "False")),
    "Deleting": ("Updating", "False", "BeingDeleted", "False"),
    "": ("Updating", "False", "Updating", "False"),
    None: ("Updating", "False", "Updating", "False"),
}
EXISTING: Shown = ("Active", "True", "Available", "False")


def meaning(kind: str, state: str | None) -> Shown:
    """Phase, Ready, its reason, Stalled. A Project shows no state at all, and a KeyPair may not."""
    if kind == "Project" or (kind == "KeyPair" and not state):
        return EXISTING
    return MEANING[state]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_33_every_state_has_a_meaning(kind: str) -> None:
    """Case 33: every state of the table, and some of no table, for an object that was Active: what it shows. Nothing is
    sent. Departs: an unknown state keeps the phase of a resource under change; Ready is Unknown (design §6).
    """
    async with by_hand(kind, settled=True) as hand:
        parent = await hand.parent()
        resource = hand.house.simulator.world.store.find(parent["status"]["resourceID"])
        since = (await hand.house.calls())[-1]["n"]
        shown, wanted, resync = {}, {}, {}
        for state in MEANING:
            resource.state = state
            hand.house.start_hooks(HAND)
            answer = await hand.call("sync", parent)
            shown[state] = _shown(answer)
            wanted[state] = meaning(kind, state)
            resync[state] = answer.body["resyncAfterSeconds"]
        assert shown == wanted
        assert await hand.house.writes(since) == []
        if kind != "Project":
            assert {resync[state] for state in STRANGE} == {15.0}


def _shown(answer: Answer) -> Shown:
    item = {"status": answer.status}
    ready = condition(item, "Ready")
    return answer.status["phase"], ready["status"], ready["reason"], condition(item, "Stalled")["status"]


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_33_states_of_a_resource_just_made(kind: str) -> None:
    """Case 33: the same states before the object ever was Active: Provisioning where nothing is wrong."""
    async with by_hand(kind, settled=True) as hand:
        parent = await hand.parent()
        resource = hand.house.simulator.world.store.find(parent["status"]["resourceID"])
        await asyncio.sleep(60)
        young = {**parent, "status": remembered(parent["status"], "CREATED")}
        shown = {}
        for state in MEANING:
            resource.state = state
            hand.house.start_hooks(HAND)
            shown[state] = _shown(await hand.call("sync", young))
        expected = {
            state: tuple("Provisioning" if part == "Updating" else part for part in meaning(kind, state))
            for state in MEANING
        }
        assert shown == expected
