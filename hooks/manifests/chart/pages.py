"""The values as three texts: values.yaml, values.schema.json and the chart's README. Called by `parts`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from hooks.manifests.chart.prose import AFTER, BEFORE
from hooks.manifests.chart.values import Schema, Value
from hooks.manifests.text import MARK

_SOURCE = f"{MARK} from hooks/manifests/chart: do not edit."


def values(table: Iterable[Value]) -> str:
    """Defaults in the order of the table, each under what it is for."""
    lines = [f"# {_SOURCE}", "# What to change is told in README.md, with every value in one table."]
    open_path: list[str] = []
    for value in table:
        if value.shown:
            *parents, name = value.path.split(".")
            lines += [*_opened(open_path, parents), *_leaf(value, name, "  " * len(parents))]
            open_path = parents
    return "\n".join(lines) + "\n"


def _opened(before: list[str], parents: list[str]) -> Iterator[str]:
    """The mappings that begin here. A value stands beside its kin in the table, so that each begins once."""
    same = next(
        (i for i, (a, b) in enumerate(zip(before, parents, strict=False)) if a != b), min(len(before), len(parents))
    )
    if not parents or same == 0:
        yield ""
    for depth in range(same, len(parents)):
        yield f"{'  ' * depth}{parents[depth]}:"


def _leaf(value: Value, name: str, indent: str) -> Iterator[str]:
    for line in textwrap.wrap(value.about.replace("**", ""), 110 - len(indent)):
        yield f"{indent}# {line}"
    yield from (f"{indent}{line}" for line in _assigned(name, value.default))


def _assigned(name: str, default: Any) -> Iterator[str]:
    if isinstance(default, dict) and default:
        yield f"{name}:"
        for inner, said in default.items():
            yield from (f"  {line}" for line in _assigned(inner, said))
    else:
        yield f"{name}: {json.dumps(default)}"


def schema(table: Iterable[Value]) -> str:
    """What Helm holds values against: a name that is not in the table is refused."""
    top: Schema = {"$comment": _SOURCE, "$schema": "http://json-schema.org/draft-07/schema#", **_closed()}
    for value in table:
        *parents, name = value.path.split(".")
        place = top
        for parent in parents:
            _require(place, parent)
            place = place["properties"].setdefault(parent, _closed())
        if value.shown and value.schema["type"] not in ("object", "array"):
            _require(place, name)
        place["properties"][name] = {**value.schema, "description": value.about.replace("**", "")}
    top["properties"]["global"] = {"type": "object", "description": "what Helm hands to every chart; not read"}
    # The banner must stand in the first line, which json would leave to the brace alone.
    return json.dumps(top, indent=2, ensure_ascii=False).replace("{\n  ", "{", 1) + "\n"


def _closed() -> Schema:
    return {"type": "object", "additionalProperties": False, "required": [], "properties": {}}


def _require(place: Schema, name: str) -> None:
    """A null takes a default away, and a template would stumble over the gap with words of its own."""
    if name not in place["required"]:
        place["required"].append(name)


def readme(table: Iterable[Value]) -> str:
    rows = "".join(f"| `{value.path}` | {_default(value)} | {value.about} |\n" for value in table)
    head = f"<!-- {_SOURCE} -->\n"
    return f"{head}{BEFORE}\n## Values\n\n| Value | Default | What it is |\n|---|---|---|\n{rows}\n{AFTER}"


def _default(value: Value) -> str:
    if not value.shown or value.default == "":
        return ""
    return f"`{json.dumps(value.default) if not isinstance(value.default, str) else value.default}`"
