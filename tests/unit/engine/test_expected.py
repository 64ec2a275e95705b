"""Whether our DELETE was taken is not forgotten, nor made up, by looks that fail afterwards (cases 14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hooks.aruba.engine.decide import decide
from hooks.aruba.engine.findings import Comparison, Kin
from hooks.aruba.engine.obstacles import expected
from hooks.aruba.engine.report import report
from hooks.aruba.engine.situate import situate
from hooks.aruba.engine.story import Done, Observed, Story
from hooks.aruba.engine.values import Cloud, Step
from hooks.aruba.model.failure import Cause, Failure
from hooks.contract.replies import SyncReply
from tests.unit.engine.scene import NOW, Scene, ago, scene

DOWN = Failure(Cause.TECHNICAL, "down", 503)


def going(**status: Any) -> Scene:
    """A VPC whose DELETE was sent a minute ago; `nextAttemptTime` stands where it was refused, or nobody knows."""
    names = {"Active": "False", "Deleting": "True", "Ready": "False"}
    told = [
        {"type": name, "status": value, "reason": "Synchronizing", "observedGeneration": 1}
        for name, value in names.items()
    ]
    ids = {"resourceID": "thing-id", "projectID": "shop-prod-id", "cloudState": "Active"}
    start = {"phase": "Deleting", "phaseStartTime": ago(60), "observedGeneration": 1}
    return scene("VPC", deleting=True, status={**ids, **start, "conditions": told, **status})


def after_a_look_that_failed(item: Scene) -> Scene:
    """The object with the status that such a pass answers."""
    known, observed = item.known(), Observed(Cloud.SILENT, None, DOWN)
    situation = situate(known, observed, Comparison(), (), Kin())
    assert decide(situation) is Step.WAIT
    rest: dict[str, Any] = {
        "comparison": Comparison(),
        "wrong": (),
        "kin": Kin(),
        "situation": situation,
        "decided": Step.WAIT,
    }
    reply = report(Step.WAIT, Story(**vars(known), observed=observed, **rest), Done(), NOW)
    assert isinstance(reply, SyncReply)
    assert reply.status["phase"] == "Deleting"
    return replace(item, status=dict(reply.status))


def test_a_deletion_that_was_taken_stays_one() -> None:
    item = going()
    assert expected(item.known())
    assert expected(after_a_look_that_failed(item).known())


@pytest.mark.parametrize("until", [5, -5], ids=["due", "paused"])
def test_one_that_was_refused_or_that_nobody_knows_of_does_not_become_one(until: float) -> None:
    """Else the next 404 is believed whatever is around it, though the cloud never said yes."""
    item = going(nextAttemptTime=ago(until))
    assert not expected(item.known())
    assert not expected(after_a_look_that_failed(item).known())
