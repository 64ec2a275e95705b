"""What a CEL rule sees: values typed by their schema, and the functions that Kubernetes adds to the language.

For `cel`, which compiles and runs the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import Any

from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.structural import EMBEDDED, member

_KEYWORDS = set(
    "true false null in as break const continue else for function if import let loop package namespace return"
    " var void while".split()
)
_ESCAPES = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return check


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "isIP": _parses(ip_address),
    "isCIDR": _parses(ip_network),
    "lowerAscii": str.lower,
    "upperAscii": str.upper,
    "trim": str.strip,
    "split": lambda text, mark: text.split(mark),
    "join": lambda parts, mark="": mark.join(parts),
    "replace": str.replace,
    "indexOf": str.find,
    "substring": lambda text, start, end=None: text[start:end],
    "find": lambda text, pattern: (re.search(pattern, text) or [""])[0],
    "isSorted": lambda items: list(items) == sorted(items),
    "sum": sum,
}


def to_cel(value: Any, schema: Object, root: bool = False) -> Any:
    """A value as rules see it: names escaped, times typed, of the root's metadata only the names."""
    if isinstance(value, dict):
        seen = {_escaped(name, schema): to_cel(item, member(schema, name) or {}) for name, item in value.items()}
        if root or schema.get(EMBEDDED):
            meta = value.get("metadata") or {}
            seen["metadata"] = {name: meta[name] for name in ("name", "generateName") if name in meta}
        return seen
    if isinstance(value, list):
        return [to_cel(item, schema.get("items") or {}) for item in value]
    if isinstance(value, str) and schema.get("format") == "date-time":
        return datetime.fromisoformat(value)
    return _typed_number(value, schema.get("type"))


def _typed_number(value: Any, kind: str | None) -> Any:
    """CEL keeps integers and doubles apart; the schema says which one this is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if kind == "number":
        return float(value)
    return int(value) if kind == "integer" else value


def _escaped(name: str, schema: Object) -> str:
    if name not in (schema.get("properties") or {}):
        return name
    if name in _KEYWORDS:
        return f"__{name}__"
    for mark, escape in _ESCAPES:
        name = name.replace(mark, escape)
    return name
