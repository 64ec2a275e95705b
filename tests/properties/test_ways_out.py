"""No dead state: from wherever an object can get there is a way to Active, when the world allows it, and a way to gone.

The real `reconcile` is played with a small cloud in memory. From every station of a life everything that can happen is
tried (how each call of a pass fares, time, the platform, other people, edits, references, lost metadata or status,
deletion), and from every state found both ways are walked: a person does only what the message asks for.

The search of one kind ends at 1200 states; `SEEDS=N` in the environment (so also `make test SEEDS=N`) makes it 100 N.
"""

from __future__ import annotations

import os
from functools import cache

import pytest

from tests.properties.ways_search import Found, Search
from tests.properties.ways_words import pairs, words
from tests.properties.ways_world import SPECS

pytestmark = pytest.mark.every_kind

STATES = 100 * int(os.environ.get("SEEDS") or 12)
FIRST = 1200
"""In so many, of each kind, all that can be said has been said."""


@cache
def found(kind: str, states: int) -> Found:
    return Search(kind, states).run()


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPECS)
def test_from_every_state_there_is_a_way_to_active_and_a_way_to_gone(kind: str) -> None:
    """At its end the object is Active, Ready and as the cloud has it, or the message and Stalled ask for a person; once
    deleted, nothing of it is left. Nowhere are there two resources for it.
    """
    result = found(kind, STATES)
    met = sorted({phase for phase, _ in result.pairs})
    print(f"{kind}: {result.states} states, {result.walked} passes walked, {len(result.pairs)} pairs in {met}")  # noqa: T201 - shown with -s
    assert not result.ends, "\n\n".join(result.ends.values())
    assert result.states >= STATES


@pytest.mark.slow
def test_everything_that_the_engine_can_say_was_met() -> None:
    """The words come from the sources of the engine: a new one asks for a move that leads to it."""
    met = set.union(*(found(kind, FIRST).pairs for kind in SPECS))
    print(*(f"{phase}/{reason}" for phase, reason in sorted(met)))  # noqa: T201 - shown with -s
    assert words() - {reason for _, reason in met} == set()
    assert pairs() - met == set()
    assert {reason for _, reason in met} - words() == set()
