"""The reference pages of the kinds, in Markdown. Called by `files`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION
from hooks.manifests.columns import columns
from hooks.manifests.crd import spec_schema, status_schema
from hooks.manifests.rules import freedom
from hooks.manifests.samples import samples
from hooks.manifests.schema import Schema, node_at, required_at
from hooks.manifests.text import BANNER, to_yaml

_HEAD = f"<!-- {BANNER} -->\n"
_LIMITS = {
    "pattern": "matches `{}`",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
}


def index_page(catalog: Catalog) -> str:
    """All kinds in one table."""
    rows = ([_link(k), f"`{k.names.plural}`", _short(k), _owner(k), _about(k)] for k in catalog)
    table = _table(["Kind", "Plural", "Short names", "Owned by", "What it is"], rows)
    text = f"All are of `{API_VERSION}`, live in a namespace, and are in the category `aruba`: `kubectl get aruba`."
    return f"{_HEAD}# The kinds\n\n{text}\n\n{table}"


def kind_page(catalog: Catalog, kind: Kind) -> str:
    """One kind: its fields, what its status shows, what `kubectl get` shows, and a full example."""
    parts = [
        f"{_HEAD}# {kind}",
        f"{_about(kind)} `{API_VERSION}`, `kubectl get {kind.names.plural}` (or {_short(kind)}).",
        _family(catalog, kind),
        "## Spec",
        _table(["Field", "Type", "Default", "Required", "Can it change?", "Meaning"], _spec_rows(kind)),
        "## Status",
        _table(["Field", "Type", "Meaning"], _status_rows(status_schema(kind))),
        "## Columns",
        _table(["Column", "From", "Shown"], _column_rows(kind)),
        "## Example",
        f"```yaml\n{to_yaml(samples(kind)['full'])}```\n",
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _family(catalog: Catalog, kind: Kind) -> str:
    told = []
    if kind.owner is not None:
        told.append(f"It belongs to the {_owner(kind)} in `spec.{kind.owner.name}` and is deleted with it.")
    for others, text in ((catalog.children(kind), "Deleting it deletes its"), (catalog.users(kind), "It is used by")):
        if others:
            told.append(f"{text} {_listed([_link(other) for other in others])} objects.")
    told.append(f"In the cloud it is found under `{kind.collection.path}`.")
    if not kind.recreate:
        told.append("When it vanishes from the cloud it is reported, and not made again unless you ask for that.")
    return " ".join(told)


def _spec_rows(kind: Kind) -> Iterable[list[str]]:
    schema = spec_schema(kind)
    for field in kind.fields:
        node = node_at(schema, field.name)
        default = f"`{json.dumps(node['default'])}`" if "default" in node else ""
        required = "yes" if required_at(schema, field.name) else "no"
        yield [f"`{field.name}`", _type(node, field), default, required, freedom(kind, field), _meaning(node, field)]


def _status_rows(schema: Schema, prefix: str = "") -> Iterable[list[str]]:
    for name, node in schema["properties"].items():
        yield [f"`{prefix}{name}`", _type(node), node.get("description", "")]
        inner = node.get("items", node)
        if "properties" in inner:
            yield from _status_rows(inner, f"{prefix}{name}{'[]' if 'items' in node else ''}.")


def _column_rows(kind: Kind) -> Iterable[list[str]]:
    for column in columns(kind):
        wide = "with `-o wide`" if column.get("priority") else "always"
        yield [column["name"], f"`{column['jsonPath']}`", wide]


def _type(node: Schema, field: FieldSpec | None = None) -> str:
    if field is not None and field.to is not None:
        to = f"[{field.to.kind}]({field.to.kind.lower()}.md)"
        return f"references to {to}" if field.many else f"reference to {to}"
    if "enum" in node:
        return _listed([f"`{value}`" for value in node["enum"]], "or")
    if node["type"] == "array":
        return f"list of {_type(node['items'])}s"
    return str(node.get("format", node["type"]))


def _meaning(node: Schema, field: FieldSpec) -> str:
    limits = [text.format(node[word]) for word, text in _LIMITS.items() if word in node]
    told = [node.get("description", ""), f"({'; '.join(limits)})" if limits else ""]
    told.append(f"Not compared with the cloud: {field.ignored.why}." if field.ignored is not None else "")
    return " ".join(part for part in told if part)


def _table(titles: list[str], rows: Iterable[list[Any]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _listed(words: list[str], joint: str = "and") -> str:
    return f" {joint} ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _about(kind: Kind) -> str:
    return str(spec_schema(kind)["description"])


def _short(kind: Kind) -> str:
    return f"`{kind.names.short}`, `{kind.names.long_short}`"


def _owner(kind: Kind) -> str:
    if kind.owner is None or kind.owner.to is None:
        return ""
    return f"[{kind.owner.to.kind}]({kind.owner.to.kind.lower()}.md)"


def _link(kind: Kind) -> str:
    return f"[{kind}]({kind.names.singular}.md)"
