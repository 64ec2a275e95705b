"""The JSONPath that printer columns use: fields, indexes, `[*]` and equality filters.

Read by `table` for the columns of a CRD.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_TOKEN = re.compile(
    r"""\.(?P<field>(?:\\.|[^.\[\]\\])+)
      |\[['"](?P<quoted>(?:\\.|[^'"\\])+)['"]\]
      |\[(?P<index>-?\d+)\]
      |(?P<all>\[\*\]|\.\*)
      |\[\?\(\s*@(?P<where>(?:\.(?:\\.|[\w\-/])+)+)\s*(?P<sign>==|!=)\s*(?P<value>"[^"]*"|'[^']*'|[\w.\-]+)\s*\)\]""",
    re.VERBOSE,
)

Move = Callable[[Any], Iterable[Any]]


def compile_path(text: str) -> Callable[[Any], list[Any]]:
    """A function that finds all values at the path. Raises ValueError when the path is not understood."""
    moves = list(_moves(text.strip().removeprefix("{").removesuffix("}").removeprefix("$")))

    def find(value: Any) -> list[Any]:
        found = [value]
        for move in moves:
            found = [item for one in found for item in move(one)]
        return found

    return find


def _moves(text: str) -> Iterator[Move]:
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise ValueError(f"unrecognized JSONPath: {text[position:]}")
        position = token.end()
        yield _move(token)


def _move(token: re.Match[str]) -> Move:
    if token["all"]:
        return _children
    if token["index"]:
        return _item(int(token["index"]))
    if token["where"]:
        return _filter(token["where"], token["sign"] == "==", token["value"].strip("\"'"))
    return _field(re.sub(r"\\(.)", r"\1", token["field"] or token["quoted"]))


def _field(name: str) -> Move:
    return lambda value: [value[name]] if isinstance(value, dict) and name in value else []


def _item(index: int) -> Move:
    return lambda value: value[index : index + 1 or None] if isinstance(value, list) else []


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _filter(path: str, equal: bool, wanted: str) -> Move:
    inner = compile_path(path)

    def keep(value: Any) -> Iterable[Any]:
        return [one for one in _children(value) if (wanted in map(_text, inner(one))) is equal]

    return keep


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
