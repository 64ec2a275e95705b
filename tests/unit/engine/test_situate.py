"""From what was seen to the words of a decision: whose turn a rule is, whose pause, and when drift is only told."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.aruba.engine.findings import Comparison, Kin, Needed, Refused
from hooks.aruba.engine.situate import against, situate
from hooks.aruba.engine.story import Observed
from hooks.aruba.engine.values import Cloud, Diff, Refs, Situation, Violation
from tests.unit.engine.scene import CATALOG, Scene, absent, ago, scene

PUT = CATALOG["BlockStorage"].changes[0]
PRESENT = {Cloud.CHANGING, Cloud.SETTLED, Cloud.FAILED, Cloud.STRANGE, Cloud.LEAVING}
CALL, OTHER = Needed(PUT, ("sizeGB",), "digest-a"), Needed(PUT, ("tags",), "digest-b")
STRAY = Violation("ProjectMustMatchCloud", "text")


def volume(
    noted: dict[str, str] | None = None, spec: dict[str, Any] | None = None, ready: str = "Updating", **status: Any
) -> Scene:
    """A volume that is there; `ready` is the reason that its status gives, of the present generation."""
    ready_now = {"type": "Ready", "status": "False", "reason": ready, "observedGeneration": 1}
    whole = {"phase": "Active", "resourceID": "thing-id", "projectID": "prj-a-id", "conditions": [ready_now], **status}
    return scene("BlockStorage", spec=spec or {}, noted=noted or {}, status=whole)


def rules(item: Scene, comparison: Comparison | None = None, cloud: Cloud = Cloud.SETTLED) -> list[str]:
    found = against(item.known(), Observed(cloud), comparison or Comparison())
    return [violation.rule for violation in found]


def situation(
    item: Scene,
    *calls: Needed,
    asked: str = "now",
    refused: tuple[Refused, ...] = (),
    strays: tuple[Violation, ...] = (),
    wrong: tuple[Violation, ...] = (),
) -> Situation:
    comparison = Comparison(calls=calls, refused=refused, strays=strays, asked=asked)
    return situate(item.known(), Observed(Cloud.SETTLED), comparison, wrong, Kin())


# Rules


@pytest.mark.parametrize("cloud", Cloud)
def test_what_a_creation_would_break_stands_only_against_a_creation(cloud: Cloud) -> None:
    new = scene("BlockStorage", name="net", spec={"billingPeriod": "Month"})
    assert rules(new, cloud=cloud) == ([] if cloud in (*PRESENT, Cloud.ADOPTABLE) else ["NameFits", "HourlyOnly"])


def test_of_what_is_there_only_the_fields_of_the_next_call_are_looked_at() -> None:
    item = volume(spec={"billingPeriod": "Month", "tags": ["web"]})
    assert rules(item) == []
    assert rules(item, Comparison(calls=(CALL,))) == []
    assert rules(item, Comparison(calls=(OTHER,))) == ["TagsFit"]
    assert rules(item, Comparison(calls=(CALL, OTHER))) == []
    both = Needed(PUT, ("tags", "billingPeriod"), "digest-c")
    assert rules(item, Comparison(calls=(both,))) == ["TagsFit", "HourlyOnly"]


def test_rules_about_the_objects_stand_always() -> None:
    item = volume(spec={"projectReference": {"name": "", "namespace": "default"}})
    assert [rules(item, cloud=cloud) for cloud in (Cloud.SETTLED, Cloud.ABSENT)] == [["ProjectReferenceRequired"]] * 2


def test_drift_that_is_only_told_sends_nothing_and_breaks_no_rule() -> None:
    item = volume({"drift_policy": "report"}, {"tags": ["web"]}, appliedSpec="now")
    assert rules(item, Comparison(calls=(OTHER,), asked="now")) == []
    assert rules(item, Comparison(calls=(OTHER,), asked="new")) == ["TagsFit"]


@pytest.mark.parametrize(
    ("strays", "wrong", "missing", "expected"),
    [
        ((), (), False, Refs.READY),
        ((), (), True, Refs.WAITING),
        ((STRAY,), (), False, Refs.WRONG),
        ((), (STRAY,), False, Refs.WRONG),
        ((STRAY,), (STRAY,), True, Refs.WRONG),
    ],
)
def test_a_stray_is_as_wrong_as_a_broken_rule(strays: Any, wrong: Any, missing: bool, expected: Refs) -> None:
    item = volume()
    item.others = [absent("Project", "shop-prod")] if missing else []
    assert situation(item, strays=strays, wrong=wrong).refs is expected


# The pause of a change


@pytest.mark.parametrize(
    ("last", "until", "calls", "expected"),
    [
        ("digest-a", -30, (CALL,), False),
        ("digest-a", -30, (CALL, OTHER), False),
        ("digest-a", -30, (OTHER, CALL), True),
        ("digest-a", -30, (OTHER,), True),
        ("digest-a", 0, (CALL,), True),
        ("digest-a", 30, (CALL,), True),
        ("digest-a", None, (CALL,), True),
        (None, -30, (CALL,), True),
        ("digest-a", -30, (), False),
        ("digest-a", 30, (), True),
    ],
)
def test_a_pause_is_one_of_the_change_that_it_followed(last: Any, until: Any, calls: Any, expected: bool) -> None:
    until = None if until is None else ago(until)
    assert situation(volume(lastChange=last, nextAttemptTime=until), *calls).due is expected


@pytest.mark.parametrize(("word", "due"), [("taken", False), ("refused", True)])
def test_a_new_generation_makes_the_same_change_due_only_after_a_refusal(word: str, due: bool) -> None:
    """What the cloud took is not sent twice because something else was edited; what it refused, it refused of the spec
    before, and other changes wait behind it.
    """
    item = volume(lastChange=f"digest-a {word}", nextAttemptTime=ago(-30))
    assert item.status is not None
    item.status["conditions"][0]["observedGeneration"] = 0
    assert item.known().due
    assert situation(item, CALL).due is due


TOLD = {
    "Updating": False,
    "WaitingCondition": False,
    "Timeout": False,
    "ValidationFailed": False,
    "DependencyInUse": False,
    "AccountOrBilling": False,
    "ApiUnreachable": False,
    "Available": True,
    "ChangeRefused": True,
    "Drifted": True,
    "WaitingForReferences": True,
    "TenantUnreadable": True,
    "IntentionValidationFailed": True,
}


@pytest.mark.parametrize("reason", TOLD)
def test_a_change_is_waited_for_only_while_the_status_speaks_of_it(reason: str) -> None:
    """Where something else was to be told since, nobody could see what is being waited for: it is sent again."""
    item = volume(ready=reason, lastChange="digest-a", nextAttemptTime=ago(-30))
    assert situation(item, CALL).due is TOLD[reason]


@pytest.mark.parametrize(("handled", "expected"), [("", True), ("one", True), ("two", False)])
def test_who_asks_anew_ends_every_pause(handled: str, expected: bool) -> None:
    status = {"lastChange": "digest-a", "nextAttemptTime": ago(-30), "lastHandledReconcileAt": handled}
    assert situation(volume({"reconcile_at": "two"}, **status), CALL).due is expected


# Drift


@pytest.mark.parametrize("word", ["correct", "report", "odd", None])
@pytest.mark.parametrize(
    ("applied", "asked", "drift"),
    [("now", "now", True), ("now", "", True), ("now", "new", False), ("", "now", False), ("", "", False)],
)
def test_drift_is_what_differs_while_the_same_is_asked_for(word: Any, applied: str, asked: str, drift: bool) -> None:
    """`applied` is what the cloud was last seen to have; while a reference is unknown nobody can say otherwise."""
    item = volume({} if word is None else {"drift_policy": word}, appliedSpec=applied)
    told = drift and word in ("report", "odd")
    assert situation(item, CALL, asked=asked).diff is (Diff.NONE if told else Diff.CHANGE)
    refused = (Refused("zone", "b", "a"),)
    assert situation(item, CALL, asked=asked, refused=refused).diff is (Diff.REFUSED if told else Diff.BOTH)


def test_without_a_difference_there_is_no_drift_to_tell() -> None:
    item = volume({"drift_policy": "report"}, appliedSpec="now")
    assert situation(item, asked="now").diff is Diff.NONE
    assert situation(item, asked="now").due


# What vanished


@pytest.mark.parametrize(
    ("kind", "word", "expected"),
    [
        ("VPC", None, True),
        ("VPC", "recreate", True),
        ("VPC", "report", False),
        ("VPC", "odd", False),
        ("BlockStorage", None, False),
        ("BlockStorage", "recreate", True),
        ("BlockStorage", "Recreate", False),
    ],
)
def test_what_vanished_is_made_again_by_kind_and_policy(kind: str, word: Any, expected: bool) -> None:
    item = scene(kind, noted={} if word is None else {"on_external_delete": word})
    found = situate(item.known(), Observed(Cloud.ABSENT), Comparison(), (), Kin())
    assert found.recreate is expected
