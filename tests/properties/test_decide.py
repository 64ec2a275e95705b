"""`decide` over the whole product of its enums: total, and never rash in any of its 550,000 or so situations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import pytest

from hooks.aruba.engine.decide import decide
from hooks.aruba.engine.values import Cloud, Diff, Family, Mark, Memory, Refs, Situation, Step, Wish

Table = dict[Step, list[Situation]]
BOTH = (False, True)


def situations() -> Iterator[Situation]:
    for values in product(Wish, BOTH, Refs, Cloud, Mark, Diff, Family, Memory, BOTH, BOTH, BOTH):
        yield Situation(*values)


@pytest.fixture(scope="module")
def table() -> Table:
    found: Table = defaultdict(list)
    for situation in situations():
        found[decide(situation)].append(situation)
    return found


def test_every_situation_has_a_step_and_every_step_a_situation(table: Table) -> None:
    everything = 4 * 2 * 3 * 12 * 4 * 4 * 5 * 6 * 2 * 2 * 2
    assert sum(map(len, table.values())) == everything
    assert set(table) == set(Step) - {Step.PROPOSE, Step.SUSPEND}


def test_nothing_is_created_but_what_is_wanted_ready_absent_and_not_under_way(table: Table) -> None:
    for s in table[Step.CREATE]:
        assert s.wish is Wish.KEEP
        assert s.claimed
        assert s.refs is Refs.READY
        assert s.cloud is Cloud.ABSENT
        assert s.mark in (Mark.INTENT, Mark.OLD)
        assert s.memory is Memory.ANNOUNCED
        assert s.due


def test_nothing_is_deleted_but_what_is_unwanted_present_childless_and_unused(table: Table) -> None:
    for s in table[Step.DELETE]:
        assert s.wish is Wish.DELETE
        assert s.family is Family.NONE
        assert s.cloud in (Cloud.SETTLED, Cloud.FAILED, Cloud.STRANGE, Cloud.AMBIGUOUS, Cloud.CHANGING)
        assert s.cloud is not Cloud.CHANGING or s.overdue
        assert s.due
        assert s.memory is not Memory.GONE


def test_an_object_is_let_go_only_when_nothing_of_it_is_left(table: Table) -> None:
    for s in table[Step.LET_GO]:
        foreign = s.cloud is Cloud.FOREIGN and s.family in (Family.NONE, Family.USED)
        left = s.wish is Wish.ORPHAN and s.family not in (Family.SOME, Family.UNREAD)
        gone = s.wish is Wish.DELETE and (s.memory is Memory.GONE or foreign)
        assert s.wish is Wish.RELEASE or left or gone


def test_nothing_is_adopted_but_what_may_be_and_what_is_ready_for_it(table: Table) -> None:
    for s in table[Step.ADOPT]:
        assert s.cloud is Cloud.ADOPTABLE
        assert s.wish in (Wish.KEEP, Wish.DELETE)
        assert s.wish is Wish.DELETE or (s.claimed and s.refs is Refs.READY)


def test_what_is_to_stay_is_never_deleted_nor_anything_under_a_protection(table: Table) -> None:
    for step in (Step.DELETE, Step.CASCADE):
        assert not [s for s in table[step] if s.family in (Family.BLOCKED, Family.UNREAD)]
    assert not [s for s in table[Step.DELETE] if s.wish is not Wish.DELETE]


def test_a_lost_mark_is_never_taken_for_an_untried_create(table: Table) -> None:
    for step in (Step.CREATE, Step.ANNOUNCE):
        assert not [s for s in table[step] if s.mark is Mark.MISSING and s.memory is not Memory.NEW]


def test_what_another_owns_or_what_is_in_doubt_is_never_touched(table: Table) -> None:
    for step in (Step.CREATE, Step.CHANGE, Step.ANNOUNCE):
        assert not [s for s in table[step] if s.cloud in (Cloud.FOREIGN, Cloud.AMBIGUOUS)]
    assert not [s for s in table[Step.DELETE] if s.cloud is Cloud.FOREIGN]


def test_no_cloud_call_follows_from_a_spec_that_is_wrong(table: Table) -> None:
    for step in (Step.CREATE, Step.CHANGE):
        assert not [s for s in table[step] if s.refs is Refs.WRONG]


def test_a_change_is_made_only_on_a_settled_resource(table: Table) -> None:
    for s in table[Step.CHANGE]:
        assert s.cloud is Cloud.SETTLED
        assert s.diff in (Diff.CHANGE, Diff.BOTH)
        assert s.wish is Wish.KEEP


def test_an_intent_is_recorded_before_any_look_and_a_vanished_resource_only_by_policy(table: Table) -> None:
    for s in table[Step.ANNOUNCE]:
        assert s.wish is Wish.KEEP
        if s.memory is Memory.SEEN:
            assert s.cloud is Cloud.ABSENT
            assert s.recreate
