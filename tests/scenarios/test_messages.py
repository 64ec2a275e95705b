"""The page of messages says what the engine says; each message names what it is about, and what comes next."""

from __future__ import annotations

import re

import pytest

from tests.scenarios.messages import CHAPTERS, PAGE, page, row, written
from tests.scenarios.said import Situation, hear

ALL = [(chapter.title, situation) for chapter in CHAPTERS for situation in chapter.situations]
CONCERNS = (
    "WaitingForReferences",
    "DependencyFailed",
    "DependencyInUse",
    "IntentionValidationFailed",
    "PostValidationFailed",
    "ChangeRefused",
    "Drifted",
    "AlreadyExists",
    "Ambiguous",
    "ExternallyDeleted",
    "ChildrenExist",
    "InUse",
    "SnapshotsExist",
)
"""Reasons that are always about something else than the object itself: its message must name that."""
ASKS = "set the|choose|delete|remove|correct|check|create|look at|leave it out|change the|give|name it|take this out"
LOOKS = "looked at again|looked for once more|looking again|looking for it|looking how"
GOES_ON = f"{LOOKS}|by itself|tried again|until|then|about to|is made again"
NEXT = re.compile(rf"\b({ASKS}|{GOES_ON})\b", re.IGNORECASE)
"""What a person can do, or that it goes on without one."""


@pytest.mark.parametrize(("chapter", "situation"), ALL, ids=[f"{chapter}: {one.title}" for chapter, one in ALL])
async def test_what_is_said(chapter: str, situation: Situation) -> None:
    """Word for word as on the page (`python -m tests.scenarios.messages --write`), with name and next step."""
    told = await hear(situation)
    assert written(PAGE.read_text())[chapter, situation.title] == row(situation.title, told)
    assert situation.names in told.message
    assert NEXT.search(told.message), told.message


def test_the_page_is_whole() -> None:
    """Every situation once, in its place, and nothing else."""
    text = PAGE.read_text()
    rows = written(text)
    assert [*rows] == [(chapter, situation.title) for chapter, situation in ALL]
    assert page(rows) == text


def test_what_is_about_something_else_names_it() -> None:
    assert [situation.title for _, situation in ALL if situation.reason in CONCERNS and not situation.names] == []
