"""Holds docs/reference/promise.md to the two published texts and to the tests that it names."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "reference" / "promise.md"
TEXTS = {"EN": HERE / "texts" / "aruba-operator.en.txt", "IT": HERE / "texts" / "aruba-operator.it.txt"}
SECTIONS = {"EN": "English", "IT": "Italian"}
UNNUMBERED = {"heading", "table head", "lead-in"}
NAMED = re.compile(r"`(tests/promise/\w+\.py)::(\w+)`")
LATER = re.compile(r"\blater: (?P<subject>[A-Za-z][^;`#]{5,})$")


class Row(NamedTuple):
    number: str
    text: str
    cover: str


def words(text: str) -> str:
    return " ".join(text.split())


@cache
def rows(language: str) -> tuple[Row, ...]:
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {SECTIONS[language]}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return tuple(row(line) for line in lines)


def row(line: str) -> Row:
    cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
    assert len(cells) == 5, f"three cells are expected: {line}"
    return Row(*cells[1:4])


@cache
def promise_tests() -> frozenset[tuple[str, str]]:
    """Path and name of every test function in this folder, this file aside."""
    files = [file for file in sorted(HERE.glob("test_*.py")) if file != Path(__file__)]
    return frozenset((str(file.relative_to(ROOT)), name) for file in files for name in functions(file))


def functions(file: Path) -> list[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    defs = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    names = [node.name for node in defs if node.name.startswith("test_")]
    assert len(names) == len(set(names)), f"{file.name} defines a test twice: the first one never runs"
    return names


def problem(entry: Row) -> str | None:
    """Why this row does not hold, or None."""
    if entry.number == "–":
        return None if entry.cover in UNNUMBERED and not re.search(r"\.(\s|$)", entry.text) else "states something"
    named = set(NAMED.findall(entry.cover))
    if missing := named - promise_tests():
        return f"names no test there is: {sorted(missing)}"
    return None if named or LATER.search(entry.cover) else "has neither a test nor a 'later:' with its subject"


@pytest.mark.parametrize("language", TEXTS)
def test_the_fragments_are_the_whole_text(language: str) -> None:
    assert words(" ".join(entry.text for entry in rows(language))) == words(TEXTS[language].read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", TEXTS)
def test_the_numbers_have_no_gap(language: str) -> None:
    numbers = [entry.number for entry in rows(language) if entry.number != "–"]
    assert numbers == [f"{language}-{n:02}" for n in range(1, len(numbers) + 1)]


@pytest.mark.parametrize("language", TEXTS)
def test_every_number_has_its_test_or_says_what_will_bring_it(language: str) -> None:
    found = {entry.number: problem(entry) for entry in rows(language)}
    assert {number: reason for number, reason in found.items() if reason} == {}


def test_both_languages_promise_the_same() -> None:
    english, italian = ([entry.cover for entry in rows(language) if entry.number != "–"] for language in TEXTS)
    assert english == italian


def test_every_promise_test_is_named_under_its_own_number() -> None:
    named = {test: entry.number for entry in rows("EN") for test in NAMED.findall(entry.cover)}
    assert set(named) == promise_tests()
    for (_, name), number in named.items():
        assert name.startswith(f"test_{number.lower().replace('-', '_')}_")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Row("EN-99", "It flies.", ""), "neither"),
        (Row("EN-99", "It flies.", "later:"), "neither"),
        (Row("EN-99", "It flies.", "`tests/promise/test_promises.py::test_en_99_flight`"), "names no test"),
        (Row("–", "It flies. It lands.", "heading"), "states something"),
        (Row("–", "Flight", "nothing"), "states something"),
        (Row("EN-99", "It flies.", "later: wings for everybody"), None),
        (Row("–", "Flight", "heading"), None),
    ],
)
def test_a_row_that_does_not_hold_is_found(entry: Row, reason: str | None) -> None:
    found = problem(entry)
    assert found is None if reason is None else found is not None and reason in found
