"""Lists: which objects, in which order, a page at a time. `app` asks; `watch` shares the selector."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import NamedTuple

from hooks.local.kubernetes.errors import ApiError, bad_request, expired
from hooks.local.kubernetes.objects import Key, Object, key_of
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.selectors import Selector, selector
from hooks.local.kubernetes.store import Store


class Page(NamedTuple):
    objects: list[Object]
    meta: Object


def wanted(resource: Resource, query: Mapping[str, str], name: str = "") -> Selector:
    """The request's selector; a name in the path counts as one."""
    fields = query.get("fieldSelector", "")
    by_name = f"metadata.name={name}" if name else ""
    return selector(resource, query.get("labelSelector", ""), ",".join(filter(None, (fields, by_name))))


def page(store: Store, resource: Resource, namespace: str, query: Mapping[str, str]) -> Page:
    """One page, or all. Pages after the first show what is stored now, under the first page's version."""
    _check_version(store, query)
    matches = wanted(resource, query)
    shown = (resource.shown(obj) for obj in store.objects(resource.table, namespace))
    found = sorted((obj for obj in shown if matches(obj)), key=key_of)
    version = str(store.version)
    if query.get("continue"):
        version, after = _read_token(query["continue"])
        found = [obj for obj in found if key_of(obj) > after]
    limit = number(query, "limit")
    meta: Object = {"resourceVersion": version}
    if 0 < limit < len(found):
        meta |= {"continue": _token(version, key_of(found[limit - 1])), "remainingItemCount": len(found) - limit}
        found = found[:limit]
    return Page(found, meta)


def number(query: Mapping[str, str], name: str) -> int:
    text = query.get(name) or "0"
    if not text.isdecimal():
        raise bad_request(f'invalid value "{text}" for {name}: a number is wanted')
    return int(text)


def version_of(query: Mapping[str, str]) -> int:
    return number(query, "resourceVersion")


def _check_version(store: Store, query: Mapping[str, str]) -> None:
    version = version_of(query)
    if version > store.version:
        raise ApiError(504, "Timeout", f"Too large resource version: {version}, current: {store.version}")
    if query.get("resourceVersionMatch") == "Exact" and version != store.version:
        raise expired(f"the state at resource version {version} is not kept by this local Kubernetes API")


def _token(version: str, last: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps([version, *last]).encode()).decode()


def _read_token(token: str) -> tuple[str, Key]:
    try:
        version, namespace, name = json.loads(base64.urlsafe_b64decode(token))
    except (binascii.Error, ValueError) as error:
        raise bad_request(f"continue key is not valid: {error}") from error
    return version, (namespace, name)
