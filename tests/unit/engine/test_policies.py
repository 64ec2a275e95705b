"""The words of users: the nearest one counts, and one that nobody can read is the cautious one, and is told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from hooks.aruba.engine import notes
from hooks.aruba.engine.policies import WORDS, Policies, of_namespace, policies, stays
from hooks.aruba.engine.values import Origin
from hooks.meta.objects import ObjectMeta

MEMBER = {
    notes.ADOPTION_POLICY: "adoption",
    notes.DELETE_POLICY: "deletion",
    notes.ON_EXTERNAL_DELETE: "loss",
    notes.DRIFT_POLICY: "drift",
    notes.MODE: "observing",
    notes.SUSPEND: "suspended",
    notes.PROTECTION: "protected",
}
FLAGS = {notes.MODE: "observe", notes.SUSPEND: "true", notes.PROTECTION: "true"}


def read(here: Mapping[str, str], space: Mapping[str, str] = {}, defaults: Mapping[str, str] = {}) -> Policies:
    return policies(ObjectMeta(name="thing-a", uid="uid", annotations=dict(here)), space, defaults)


def said(annotation: str, found: Policies) -> Any:
    return getattr(found, MEMBER[annotation])


def meant(annotation: str, word: str) -> Any:
    return word == FLAGS[annotation] if annotation in FLAGS else word


def test_every_policy_is_read() -> None:
    assert set(MEMBER) == set(WORDS)


@pytest.mark.parametrize("annotation", WORDS)
def test_the_nearest_word_counts(annotation: str) -> None:
    *_, bold, cautious = WORDS[annotation]
    for one, other in ((bold, cautious), (cautious, bold)):
        for here in ({annotation: one},):
            assert said(annotation, read(here, {annotation: other}, {annotation: other})) == meant(annotation, one)
            assert said(annotation, read({}, here, {annotation: other})) == meant(annotation, one)
            assert said(annotation, read({}, {}, here)) == meant(annotation, one)
            assert read(here).unreadable == ()
    assert said(annotation, read({})) == (False if annotation in FLAGS else "")


@pytest.mark.parametrize("value", ["", "Delete", "CORRECT", "recreate ", "yes", "True"])
@pytest.mark.parametrize("annotation", WORDS)
def test_a_word_that_nobody_can_read_is_the_cautious_one_and_is_told(annotation: str, value: str) -> None:
    words = WORDS[annotation]
    rest = f"{annotation}: {value!r} is neither {' nor '.join(words)}, so {words[-1]} is assumed"
    here = read({annotation: value}, {annotation: words[0]})
    assert said(annotation, here) == meant(annotation, words[-1])
    assert here.unreadable == (f"the annotation {rest}",)
    space = read({}, {annotation: value}, {annotation: words[0]})
    assert said(annotation, space) == meant(annotation, words[-1])
    assert space.unreadable == (f"on its Namespace, {rest}",)


def test_a_word_of_another_policy_is_none() -> None:
    assert read({notes.DELETE_POLICY: "report"}).deletion == "orphan"
    assert read({notes.DRIFT_POLICY: "delete"}).drift == "report"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("30m", timedelta(minutes=30)), ("1h30m", timedelta(minutes=90)), ("", None), ("soon", None), ("-5m", None)],
)
def test_a_time_out_that_cannot_be_read_is_the_default_and_is_told(value: str, expected: Any) -> None:
    found = read({notes.TIMEOUT: value})
    text = f"the annotation arubacloud.com/timeout: {value!r} is no duration such as 30m, so the default is taken"
    assert found.timeout == expected
    assert found.unreadable == ((text,) if expected is None else ())
    assert read({}, {notes.TIMEOUT: "5m"}).timeout == timedelta(minutes=5)


def test_what_was_adopted_goes_only_where_the_object_itself_says_so() -> None:
    delete = {notes.DELETE_POLICY: "delete"}
    assert not stays(read(delete), Origin.ADOPTED)
    assert stays(read({}, delete, delete), Origin.ADOPTED)
    assert stays(read({}), Origin.ADOPTED)
    assert not stays(read({}), Origin.CREATED)
    assert stays(read({}, {notes.DELETE_POLICY: "orphan"}), Origin.CREATED)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, {}),
        ({}, {}),
        ({"metadata": {}}, {}),
        ({"metadata": {"annotations": None}}, {}),
        ({"metadata": {"annotations": {"a": "b", "c": 1}}}, {"a": "b"}),
    ],
)
def test_annotations_of_a_namespace(raw: Any, expected: dict[str, str]) -> None:
    assert dict(of_namespace(raw)) == expected
