"""Lists: the filter language, pages and their links (api §5.1, §5.2).

Called by the collection room with the resources that may be seen and a way to show one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from hooks.simulator.errors import invalid, not_found
from hooks.simulator.quirks import Quirks
from hooks.simulator.wire import dig

T = TypeVar("T")
Json = dict[str, Any]
Test = Callable[[Json], bool]

DEFAULT_LIMIT = 100
MAXIMUM_LIMIT = 1000
_CLAUSE = re.compile(r"\s*([A-Za-z][\w.]*):([a-z]+)\((.*)\)\s*", re.DOTALL)
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": lambda value, bound: value > bound,
    "gte": lambda value, bound: value >= bound,
    "lt": lambda value, bound: value < bound,
    "lte": lambda value, bound: value <= bound,
    "between": lambda value, bounds: bounds[0] <= value <= bounds[1],
}
_EQUAL: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "ne": lambda value, wanted: value != wanted,
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
}


def parse_filter(text: str) -> Test:
    """`field:op(args)`, joined by `;` (and `,filter=`), all of which must hold. Raises a refusal for anything else."""
    clauses = [part for joined in text.split(",filter=") for part in _split(joined) if part.strip()]
    tests = [_clause(clause) for clause in clauses]
    return lambda body: all(test(body) for test in tests)


def _split(text: str) -> list[str]:
    """At each `;` that stands outside of quotes."""
    return re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', text)


def _clause(clause: str) -> Test:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        raise invalid(("Filter", f"'{clause}' is not field:op(args)"))
    field, op, args = match.groups()
    try:
        wanted = json.loads(args) if args else None
    except ValueError:
        raise invalid(("Filter", f"'{args}' cannot be read")) from None
    return _test(field, op, wanted)


def _test(field: str, op: str, wanted: Any) -> Test:
    if op == "exists":
        return lambda body: (_value(body, field) is not None) == (wanted is not False)
    if op in ("in", "nin", "between") and not isinstance(wanted, list):
        raise invalid(("Filter", f"{op} takes a list"))
    if op == "between" and len(wanted) != 2:
        raise invalid(("Filter", "between takes two values"))
    if op in _EQUAL:
        return lambda body: _EQUAL[op](_value(body, field), wanted)
    if op in _ORDER:
        return lambda body: _ordered(_ORDER[op], _value(body, field), wanted)
    raise invalid(("Filter", f"unknown operator {op}"))


def _value(body: Json, field: str) -> Any:
    """Dotted paths start at the resource; a bare name is one of its metadata."""
    return dig(body, field) if "." in field else dig(body, f"metadata.{field}")


def _ordered(op: Callable[[Any, Any], bool], value: Any, bound: Any) -> bool:
    try:
        return op(value, bound)
    except TypeError:
        return False


def envelope(
    items: Sequence[T], show: Callable[[T], Json], path: str, query: Mapping[str, str], quirks: Quirks
) -> Json:
    """One page of `items` with the links to the others."""
    if not items and quirks.empty_list_is_404:
        raise not_found()
    offset, limit = _number(query, "offset", 0, 0), _limit(query, quirks)
    page = list(items[offset : offset + limit])
    if quirks.skip_on_paging and offset and page:
        page[0] = items[offset - 1]

    def at(start: int) -> str:
        return f"{path}?{urlencode({**query, 'offset': start, 'limit': limit})}"

    last = (len(items) - 1) // limit * limit if items else 0
    return {
        "total": len(items),
        "self": at(offset),
        "prev": at(max(offset - limit, 0)) if offset else None,
        "next": at(offset + limit) if offset + limit < len(items) else None,
        "first": at(0),
        "last": at(last),
        "values": [show(item) for item in page],
    }


def _limit(query: Mapping[str, str], quirks: Quirks) -> int:
    return min(_number(query, "limit", DEFAULT_LIMIT, 1), quirks.page_limit or MAXIMUM_LIMIT)


def _number(query: Mapping[str, str], name: str, default: int, least: int) -> int:
    text = query.get(name, "")
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < least:
        raise invalid((name.capitalize(), f"'{text}' is not a number of at least {least}"))
    return int(text)
