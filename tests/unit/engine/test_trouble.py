"""The one table of failures: a row for every class, at its creation or change and at its deletion (design §7)."""

from __future__ import annotations

import pytest

from hooks.aruba.engine.trouble import CREATING, DELETING, effect, pause
from hooks.aruba.model.failure import Cause, Failure

ROWS = {
    Cause.SEMANTIC: (("ValidationFailed", True, 3600.0), ("DeleteRefused", True, 300.0)),
    Cause.NOT_READY: (("DependencyNotReady", False, 300.0), ("DeleteRefused", False, 300.0)),
    Cause.GONE: (("DependencyNotReady", False, 300.0), ("DependencyNotReady", False, 300.0)),
    Cause.CONFLICT: (("Conflict", False, 300.0), ("DeleteRefused", False, 300.0)),
    Cause.TRANSIENT: (("CloudRefused", False, 300.0), ("DeleteRefused", False, 300.0)),
    Cause.ACCOUNT: (("AccountOrBilling", False, 300.0), ("AccountOrBilling", False, 300.0)),
    Cause.HELD: (("DependencyInUse", False, 30.0), ("InUse", True, 300.0)),
    Cause.BLIND: (("TenantUnreadable", False, 60.0), ("TenantUnreadable", False, 60.0)),
    Cause.THROTTLED: (("Throttled", False, 60.0), ("Throttled", False, 60.0)),
    Cause.CREDENTIALS: (("CredentialsUnavailable", False, 120.0), ("CredentialsUnavailable", False, 120.0)),
    Cause.FORBIDDEN: (("Forbidden", False, 300.0), ("Forbidden", False, 300.0)),
    Cause.TECHNICAL: (("ApiUnreachable", False, 25.0), ("ApiUnreachable", False, 25.0)),
    Cause.BUSY: (("Throttled", False, 10.0), ("Throttled", False, 10.0)),
}


def test_every_class_has_a_row_in_either_table() -> None:
    assert set(ROWS) == set(Cause) == set(CREATING) == set(DELETING)


@pytest.mark.parametrize("deleting", [False, True])
@pytest.mark.parametrize("cause", Cause)
def test_a_row_says_reason_whether_a_person_must_act_and_the_longest_pause(cause: Cause, deleting: bool) -> None:
    row = effect(Failure(cause, "text"), deleting)
    assert (row.reason, row.stalled, row.cap) == ROWS[cause][deleting]
    assert row.advice


def test_a_failure_may_bring_its_own_word() -> None:
    held = effect(Failure(Cause.HELD, "text", reason="SnapshotsExist"), deleting=True)
    assert held == DELETING[Cause.HELD]._replace(reason="SnapshotsExist")


@pytest.mark.parametrize("cause", Cause)
def test_pauses_grow_with_the_time_already_spent_up_to_a_fifth_above_the_cap(cause: Cause) -> None:
    failure = Failure(cause, "text")
    row = effect(failure, deleting=True)
    waits = [pause(failure, row, elapsed, "uid", flat=False) for elapsed in (0.0, 10.0, 100_000.0)]
    assert 1.6 <= waits[0] < 2.4
    assert min(5.0, row.cap) * 0.8 <= waits[1] <= min(5.0, row.cap) * 1.2
    assert row.cap * 0.8 <= waits[2] <= row.cap * 1.2


def test_what_is_invalid_is_not_repeated_before_the_cap_while_it_is_wanted() -> None:
    failure = Failure(Cause.SEMANTIC, "text")
    assert pause(failure, effect(failure, deleting=False), 0.0, "uid", flat=True) == 3600.0
    other = Failure(Cause.NOT_READY, "text")
    assert pause(other, effect(other, deleting=False), 0.0, "uid", flat=True) < 2.4


@pytest.mark.parametrize(("asked", "least", "most"), [(50.0, 50.0, 50.0), (0.5, 1.6, 2.4), (0.0, 1.6, 2.4)])
def test_the_cloud_may_ask_for_a_longer_pause_never_for_a_shorter_one(asked: float, least: float, most: float) -> None:
    failure = Failure(Cause.THROTTLED, "text", retry_after=asked)
    assert least <= pause(failure, effect(failure, deleting=False), 0.0, "uid", flat=False) <= most
