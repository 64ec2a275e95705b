"""Annotations as they are read: a policy that nobody can read counts as the cautious one, and is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hooks.aruba.engine.notes import (
    DELETE_POLICY,
    DRIFT_POLICY,
    ON_EXTERNAL_DELETE,
    is_owner_tag,
    owner_tag,
    policy,
    reconcile_at,
    timeout,
    unreadable,
)
from hooks.meta.objects import ObjectMeta

WORDS = {
    DELETE_POLICY: ("delete", "orphan"),
    ON_EXTERNAL_DELETE: ("recreate", "report"),
    DRIFT_POLICY: ("correct", "report"),
}


def meta(**annotations: str) -> ObjectMeta:
    noted = {f"arubacloud.com/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return ObjectMeta(name="thing-a", uid="uid", annotations=noted)


def noted(annotation: str, value: str) -> ObjectMeta:
    return ObjectMeta(name="thing-a", uid="uid", annotations={annotation: value})


@pytest.mark.parametrize("annotation", WORDS)
def test_a_policy_says_what_it_says_or_nothing(annotation: str) -> None:
    for word in WORDS[annotation]:
        assert policy(noted(annotation, word), annotation, "unused") == word
        assert policy(meta(), annotation, word) == word
        assert unreadable(noted(annotation, word)) == []
    assert unreadable(meta()) == []


@pytest.mark.parametrize("value", ["", "Delete", "CORRECT", "recreate ", "yes", "true"])
@pytest.mark.parametrize("annotation", WORDS)
def test_a_policy_that_nobody_can_read_is_the_cautious_one_and_is_told(annotation: str, value: str) -> None:
    bold, cautious = WORDS[annotation]
    item = noted(annotation, value)
    assert policy(item, annotation, bold) == cautious
    text = f"the annotation {annotation}: {value!r} is neither {bold} nor {cautious}, so {cautious} is assumed"
    assert unreadable(item) == [text]


def test_a_word_of_another_policy_is_none() -> None:
    assert policy(noted(DELETE_POLICY, "report"), DELETE_POLICY, "delete") == "orphan"
    assert policy(noted(DRIFT_POLICY, "delete"), DRIFT_POLICY, "correct") == "report"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("30m", timedelta(minutes=30)), ("1h30m", timedelta(minutes=90)), ("", None), ("soon", None), ("-5m", None)],
)
def test_a_time_out_that_cannot_be_read_is_the_default_and_is_told(value: str, expected: Any) -> None:
    item = meta(timeout=value)
    text = f"the annotation arubacloud.com/timeout: {value!r} is no duration such as 30m, so the default is taken"
    assert timeout(item) == expected
    assert unreadable(item) == ([text] if expected is None else [])


def test_everything_unreadable_is_told_in_a_fixed_order_and_cut() -> None:
    item = meta(timeout="x" * 99, drift_policy="d" * 99, on_external_delete="e", delete_policy="p")
    told = unreadable(item)
    assert [text.split(":")[0].rsplit("/")[1] for text in told] == [
        "delete-policy",
        "on-external-delete",
        "drift-policy",
        "timeout",
    ]
    assert f"{'d' * 40!r} is neither" in told[2]
    assert f"{'x' * 40!r} is no duration" in told[3]


@pytest.mark.parametrize(("value", "expected"), [("", ""), ("2026-07-01", "2026-07-01"), ("x" * 200, "x" * 128)])
def test_any_text_may_ask_for_a_fresh_look(value: str, expected: str) -> None:
    assert reconcile_at(meta(reconcile_at=value)) == expected
    assert reconcile_at(meta()) == ""


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        (owner_tag("a"), True),
        ("k8s-abcdefghijklmnop", True),
        ("k8s-abcdefghijklmno", False),
        ("k8s-abcdefghijklmnopq", False),
        ("k8s-abcdefghijklmno1", False),
        ("k8s-ABCDEFGHIJKLMNOP", False),
        ("abcdefghijklmnop", False),
        ("", False),
    ],
)
def test_what_an_owner_tag_looks_like(tag: str, expected: bool) -> None:
    assert is_owner_tag(tag) is expected


def test_an_owner_tag_is_of_the_uid_alone() -> None:
    """Written on resources that live for years: it must never come out otherwise."""
    assert owner_tag("0b6f6d0e-2f0a-4a58-9f27-3e3f1b1f0001") == "k8s-el3yyajv2oh4ffw4"
    assert len(owner_tag("")) == 20
