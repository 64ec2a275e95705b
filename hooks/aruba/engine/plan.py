"""From a decision to plain request values: bodies of creations and changes, built from declarations alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hooks.aruba.engine.findings import Needed, Resolved
from hooks.aruba.engine.notes import cloud_name, is_owner_tag, owner_tag
from hooks.aruba.engine.recall import Past
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import Target
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.fields import FieldSpec, value_at
from hooks.aruba.model.kind import Action, Body, Kind, Put
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Call
from hooks.meta.objects import ObjectMeta


def creation(kind: Kind, catalog: Catalog, meta: ObjectMeta, resolved: Resolved, path: str) -> Call:
    """The POST that makes this object's resource, owner tag included."""
    spec = resolved.spec
    assert spec is not None
    tags = [*(spec.tags or ()), owner_tag(meta.uid)]
    metadata: Body = {"name": cloud_name(meta), "tags": list(dict.fromkeys(tags))}
    region = value_at(spec, "region")
    if kind.located and region:
        metadata["location"] = {"value": region}
    properties = _properties(kind, catalog, resolved)
    body = {"metadata": metadata, "properties": {**kind.fixed, **properties}}
    return Call("POST", path, body, kind.collection.create_version)


def _properties(kind: Kind, catalog: Catalog, resolved: Resolved) -> Body:
    """Every field that is marked At and set, at its place."""
    body: Body = {}
    for field in kind.fields:
        value = _value(field, catalog, resolved)
        if field.at is not None and value is not None:
            lay_in(body, field.at.path, value)
    return kind.lay.write(body) if kind.lay is not None else body


def _value(field: FieldSpec, catalog: Catalog, resolved: Resolved) -> Any:
    if field.to is None:
        value = value_at(resolved.spec, field.name) if resolved.spec is not None else None
        return list(value) if isinstance(value, tuple) else value
    uris = [{"uri": uri(catalog, target)} for target in resolved.of(field.name) if target.id]
    if field.many:
        return uris
    return uris[0] if uris else None


def uri(catalog: Catalog, target: Target) -> str:
    """The cloud path of a referenced resource, in our own canonical form, never an echoed one (api §14)."""
    kind = catalog[target.kind]
    ids = {p: str(target.status.get(kind.parent_field(p).id_field) or "") for p in kind.collection.placeholders}
    return f"{kind.collection.at(ids)}/{target.id}"


def lay_in(body: Body, path: str, value: Any) -> None:
    """Set a value at a dotted path, making the objects on the way."""
    *steps, last = path.split(".")
    for step in steps:
        inner = body.get(step)
        body[step] = dict(inner) if isinstance(inner, Mapping) else {}
        body = body[step]
    body[last] = value


def action(
    kind: Kind, catalog: Catalog, needed: Needed, action: Action, resolved: Resolved, past: Past, item: str
) -> Call:
    """The POST that adds and removes; `item` is the resource's path.

    What to detach may have no object any more, but its collection and the IDs on its path are known.
    """
    field = kind.by_name[action.field]
    by_id = {target.id.lower(): uri(catalog, target) for target in resolved.of(action.field) if target.id}
    collection = catalog[field.to.kind].collection if field.to is not None else kind.collection
    known = {f.to.kind.lower(): past.id_of(f.id_field) for f in kind.references if f.to is not None and not f.many}
    add = [{"uri": by_id[one]} for one in sorted(needed.add) if one in by_id]
    remove = [{"uri": f"{collection.at(known)}/{one}"} for one in sorted(needed.remove)]
    return Call("POST", f"{item}/{action.name}", {action.add: add, action.remove: remove})


def change(story: Story, needed: Needed, live: Live) -> Call:
    """The call that makes a change; `live` is the resource as it is now."""
    way, resolved = needed.change, story.resolved
    if isinstance(way, Action):
        return action(story.kind, story.catalog, needed, way, resolved, story.past, story.item)
    meta, made_by_us = story.parent.metadata, story.pending.at is not None
    own = Own(cloud_name(meta), owner_tag(meta.uid) if made_by_us else "")
    return put(story.kind, story.catalog, needed, way, resolved, live, story.item, own)


class Own(NamedTuple):
    """What a PUT says where the cloud does not: the name, and the owner tag of a resource that we made."""

    name: str
    tag: str


def put(
    kind: Kind, catalog: Catalog, needed: Needed, put: Put, resolved: Resolved, live: Live, item: str, own: Own
) -> Call:
    """Members as the cloud shows them, with what is to be changed laid over: what we do not manage stays (W19, W20).

    What an answer leaves out is sent as it was at the creation, since the API takes a missing member for its default
    (cases 16). The owner tag is put back where somebody took it away.
    """
    metadata = _metadata(put, resolved, live, own)
    shown = {name: kind.fixed.get(name) if live.get(name) is None else live.get(name) for name in put.body}
    properties: Body = {name: value for name, value in shown.items() if value is not None}
    for field in kind.fields:
        value = _value(field, catalog, resolved)
        if value is None and field.absent is not None:
            value = field.absent.means
        if field.at is None or value is None or field.at.path.split(".")[0] not in put.body:
            continue
        if field.name in needed.fields or live.get(field.at.path) is None:
            lay_in(properties, field.at.path, value)
    body = {"metadata": metadata, "properties": properties} if put.body else {"metadata": metadata}
    return Call("PUT", item, body)


def _metadata(put: Put, resolved: Resolved, live: Live, own: Own) -> Body:
    spec = resolved.spec
    metadata: Body = {"name": live.name or own.name}
    if "tags" in put.metadata:
        ours = [one for one in live.tags if is_owner_tag(one)] or [own.tag] * bool(own.tag)
        wanted = spec.tags if spec is not None else None
        metadata["tags"] = list(dict.fromkeys([*(wanted or ()), *ours]))
    region = live.meta("location.value") or (value_at(spec, "region") if spec is not None else None)
    if "location" in put.metadata and region:
        metadata["location"] = {"value": region}
    return metadata


def deletion(item: str) -> Call:
    """The DELETE of a resource."""
    return Call("DELETE", item)
