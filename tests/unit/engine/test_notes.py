"""Tags and annotations as they are read."""

from __future__ import annotations

import re
from uuid import NAMESPACE_DNS, uuid5

import pytest

from hooks.aruba.engine.notes import is_owner_tag, owner_tag, reconcile_at, uses
from hooks.meta.objects import ObjectMeta


def meta(**annotations: str) -> ObjectMeta:
    noted = {f"arubacloud.com/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return ObjectMeta(name="thing-a", uid="uid", annotations=noted)


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


def test_labels_of_what_is_used_differ_in_letters_before_any_digit() -> None:
    """Else kubectl's printer may find them in a circle, and `kubectl diff` is never empty (docs/decisions/0012)."""
    assert (
        uses("0b6f6d0e-2f0a-4a58-9f27-3e3f1b1f0001")
        == "arubacloud.com/uses-inkbbdnm-0b6f6d0e-2f0a-4a58-9f27-3e3f1b1f0001"
    )
    found = [uses(str(uuid5(NAMESPACE_DNS, str(number)))).removeprefix("arubacloud.com/uses-") for number in range(500)]
    assert all(re.fullmatch(r"[a-z]{8}-[-0-9a-f]{36}", name) for name in found)
    assert len({name[:8] for name in found}) == 500
