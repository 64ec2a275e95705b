"""Label and field selectors, read from a request and asked of objects. For `collection` and `watch`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hooks.local.kubernetes.errors import bad_request
from hooks.local.kubernetes.objects import Object, metadata
from hooks.local.kubernetes.resources import Resource

Selector = Callable[[Object], bool]
_Labels = Mapping[str, str]
_Requirement = Callable[[_Labels], bool]

_SETS = re.compile(r"(?P<key>[^\s,()=!<>]+)\s+(?P<word>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUALS = re.compile(r"(?P<key>[^\s,()=!<>]+)\s*(?P<sign>==|=|!=)\s*(?P<value>[^\s,()=!<>]*)")
_BOUND = re.compile(r"(?P<key>[^\s,()=!<>]+)\s*(?P<sign>[<>])\s*(?P<value>-?\d+)")
_EXISTS = re.compile(r"(?P<not>!?)\s*(?P<key>[^\s,()=!<>]+)")


def everything(obj: Object) -> bool:
    return True


def selector(resource: Resource, labels: str, fields: str) -> Selector:
    """Both selectors in one. Raises ApiError 400 for what cannot be read or is not a selectable field."""
    if not labels and not fields:
        return everything
    wanted, where = _requirements(labels), _field_tests(resource, fields)
    return lambda obj: (
        all(test(metadata(obj).get("labels") or {}) for test in wanted) and all(test(obj) for test in where)
    )


def _requirements(text: str) -> list[_Requirement]:
    found: list[_Requirement] = []
    rest = text.strip()
    while rest:
        match, requirement = _first(rest, text)
        found.append(requirement)
        rest = rest[match.end() :].lstrip()
        if rest and not rest.startswith(","):
            raise _unreadable(text)
        rest = rest[1:].lstrip()
    return found


def _first(rest: str, text: str) -> tuple[re.Match[str], _Requirement]:
    for pattern, make in ((_SETS, _of_set), (_EQUALS, _of_equals), (_BOUND, _of_bound), (_EXISTS, _of_exists)):
        match = pattern.match(rest)
        if match:
            return match, make(match)
    raise _unreadable(text)


def _unreadable(text: str) -> Exception:
    return bad_request(f'unable to parse requirement: "{text}"')


def _of_set(match: re.Match[str]) -> _Requirement:
    key, values = match["key"], {value.strip() for value in match["values"].split(",")}
    if match["word"] == "in":
        return lambda labels: labels.get(key) in values
    return lambda labels: labels.get(key) not in values


def _of_equals(match: re.Match[str]) -> _Requirement:
    key, value = match["key"], match["value"]
    if match["sign"] == "!=":
        return lambda labels: labels.get(key) != value
    return lambda labels: labels.get(key) == value


def _of_bound(match: re.Match[str]) -> _Requirement:
    key, bound, above = match["key"], int(match["value"]), match["sign"] == ">"

    def test(labels: _Labels) -> bool:
        text = labels.get(key, "")
        if not re.fullmatch(r"-?\d+", text):
            return False
        return int(text) > bound if above else int(text) < bound

    return test


def _of_exists(match: re.Match[str]) -> _Requirement:
    key, absent = match["key"], bool(match["not"])
    return lambda labels: (key in labels) is not absent


def _field_tests(resource: Resource, text: str) -> list[Selector]:
    return [_field_test(resource, part) for part in text.split(",") if part.strip()]


def _field_test(resource: Resource, text: str) -> Selector:
    match = re.fullmatch(r"\s*([^=!\s]+)\s*(==|=|!=)\s*(.*?)\s*", text)
    if match is None:
        raise bad_request(f'invalid field selector "{text}"')
    path, sign, value = match.groups()
    known = {"metadata.name": "metadata.name", "metadata.namespace": "metadata.namespace", **resource.fields}
    if path not in known:
        raise bad_request(f"field label not supported: {path}")
    steps = known[path].split(".")
    return lambda obj: (_read(obj, steps) == value) is (sign != "!=")


def _read(obj: Object, steps: list[str]) -> str:
    value: object = obj
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return "" if value is None else str(value)
