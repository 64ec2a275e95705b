"""A picture of objects and references, and how it is written as Mermaid or as Graphviz DOT. Used by `graph`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from hooks.aruba.model.phases import Phase
from hooks.meta.text import one_line

MISSING, UNREAD = "missing", "not readable"
STYLES = MappingProxyType(
    {
        "active": "#d1e7dd",
        "waiting": "#fff3cd",
        "leaving": "#e2e3e5",
        "failed": "#f8d7da",
        "missing": "#ffffff",
        "unread": "#ffffff",
    }
)
"""Classes of nodes and what they are filled with."""
_BY_PHASE = MappingProxyType(
    {
        Phase.ACTIVE.value: "active",
        Phase.DELETING.value: "leaving",
        Phase.DELETED.value: "leaving",
        Phase.FAILED.value: "failed",
        MISSING: "missing",
        UNREAD: "unread",
    }
)


class Key(NamedTuple):
    """Which object a node stands for."""

    kind: str
    namespace: str
    name: str


class Edge(NamedTuple):
    """From owner to owned without a label; from user to used with the field that says so."""

    start: Key
    end: Key
    label: str = ""


class Picture(NamedTuple):
    """Nodes with their phases, and edges; `unread` says what could not be looked at."""

    nodes: dict[Key, str]
    edges: list[Edge]
    unread: list[str]


def write(picture: Picture, form: str) -> str:
    """The picture's source text."""
    return "\n".join(_mermaid(picture) if form == "mermaid" else _dot(picture))


def style(phase: str) -> str:
    """The class of a node in this phase."""
    return _BY_PHASE.get(phase, "waiting")


def _mermaid(picture: Picture) -> Iterator[str]:
    ids = {key: f"n{number}" for number, key in enumerate(picture.nodes)}
    yield "flowchart TD"
    for key, phase in picture.nodes.items():
        yield f'  {ids[key]}["{_label(key, phase, mermaid_text, "<br/>")}"]:::{style(phase)}'
    for start, end, label in picture.edges:
        arrow = f'-.->|"{mermaid_text(label)}"|' if label else "-->"
        yield f"  {ids[start]} {arrow} {ids[end]}"
    for name, fill in STYLES.items():
        dashes = ",stroke-dasharray:4" if name in ("missing", "unread") else ""
        strong = ",stroke:#b02a37" if name in ("failed", "missing") else ""
        yield f"  classDef {name} fill:{fill},color:#000000{strong}{dashes}"


def _dot(picture: Picture) -> Iterator[str]:
    ids = {key: f"n{number}" for number, key in enumerate(picture.nodes)}
    yield "digraph aruba {"
    yield '  node [shape=box, style=filled, fontname="sans-serif"];'
    for key, phase in picture.nodes.items():
        name = style(phase)
        line = ', style="filled,dashed"' if name in ("missing", "unread") else ""
        edge = ', color="#b02a37"' if name in ("failed", "missing") else ""
        label = _label(key, phase, dot_text, "\\n")
        yield f'  {ids[key]} [label="{label}", class="{name}", fillcolor="{STYLES[name]}"{line}{edge}];'
    for start, end, label in picture.edges:
        look = f' [style=dashed, label="{dot_text(label)}"]' if label else ""
        yield f"  {ids[start]} -> {ids[end]}{look};"
    yield "}"


def _label(key: Key, phase: str, escape: Callable[[str], str], line_break: str) -> str:
    return line_break.join(escape(part) for part in (key.kind, f"{key.namespace}/{key.name}", phase))


def mermaid_text(text: str) -> str:
    """Text for a quoted label: what Mermaid or the page around it could take for markup is written by number."""
    return "".join(c if c.isalnum() or c in " -._/" else f"#{ord(c)};" for c in one_line(text, 300))


def dot_text(text: str) -> str:
    """Text for a quoted string, in which Graphviz reads entities such as `&lt;` too."""
    return one_line(text, 300).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
