"""The exhaustive search of the create protocol: over the model, over the engine, and with protections taken away."""

from __future__ import annotations

import pytest

from hooks.aruba.engine import decide as deciding
from hooks.aruba.engine.values import Mark, Situation
from tests.properties import create_protocol as model
from tests.properties.create_protocol import Rules, search
from tests.properties.engine_in_model import by_engine, ruling

LIMIT = 6_000_000


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hook calls and a shorter time: minutes become seconds, and every fault below is still found."""
    monkeypatch.setattr(model, "CALLS", 3)
    monkeypatch.setattr(model, "HORIZON", 7)


@pytest.mark.usefixtures("small")
def test_the_engine_never_makes_two_and_never_loses_one() -> None:
    states, verdict, path = search(Rules(), LIMIT, by_engine)
    assert verdict is None, path
    assert states > 100_000


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("rule", ["fence", "act_within"])
def test_the_search_finds_the_fault_when_a_rule_outside_the_decision_is_taken_away(rule: str) -> None:
    _, verdict, _ = search(Rules()._replace(**{rule: False}), LIMIT, by_engine)
    assert verdict in ("two live resources for one object", "object gone, resource left behind")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("protection", ["window", "lost mark", "seen first"])
def test_the_search_finds_the_fault_when_a_protection_of_the_decision_is_taken_away(
    protection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = deciding.decide

    def weakened(s: Situation):
        if protection == "window" and s.mark is Mark.YOUNG:
            s = s._replace(mark=Mark.OLD, cloud=deciding.Cloud.ABSENT if s.cloud in BLIND else s.cloud)
        if protection == "lost mark" and s.mark is Mark.MISSING:
            s = s._replace(mark=Mark.INTENT, cloud=deciding.Cloud.ABSENT if s.cloud in BLIND else s.cloud)
        if protection == "seen first" and s.memory is deciding.Memory.REPLIED:
            s = s._replace(memory=deciding.Memory.SEEN)
        return whole(s)

    monkeypatch.setattr("tests.properties.engine_in_model.decide", weakened)
    ruling.cache_clear()
    try:
        _, verdict, _ = search(Rules(), LIMIT, by_engine)
    finally:
        ruling.cache_clear()
    assert verdict is not None


BLIND = (deciding.Cloud.UNSEEN, deciding.Cloud.UNASKED)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [pytest.param(None, marks=pytest.mark.sweep), *Rules._fields])
def test_the_model_itself(rule: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model without any one rule has a fault, and with all of them none: so the rules are the right ones."""
    monkeypatch.setattr(model, "CALLS", 3)
    monkeypatch.setattr(model, "HORIZON", 7)
    _, verdict, _ = search(Rules() if rule is None else Rules()._replace(**{rule: False}), LIMIT)
    assert (verdict is None) == (rule is None)
