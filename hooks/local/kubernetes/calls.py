"""One request about a resource: which room answers it, and in which form. `app` makes one for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hooks.clock import Clock, Random
from hooks.local.kubernetes import discovery, replies, watch, writes
from hooks.local.kubernetes.address import Address
from hooks.local.kubernetes.collection import page, wanted
from hooks.local.kubernetes.errors import ApiError, bad_request, no_such_path, not_allowed, not_modelled
from hooks.local.kubernetes.lifecycle import Lifecycle, Options, Part
from hooks.local.kubernetes.negotiate import Wanted
from hooks.local.kubernetes.objects import Key, Object, key_of
from hooks.local.kubernetes.owners import FOREGROUND, ORPHAN
from hooks.local.kubernetes.resources import Resource, Served


@dataclass(frozen=True, slots=True)
class Rooms:
    """What all requests share."""

    served: Served
    life: Lifecycle
    clock: Clock
    dice: Random


class Call:
    """One request about a resource."""

    def __init__(self, rooms: Rooms, request: Request, address: Address, form: Wanted, raw: bytes) -> None:
        self._rooms = rooms
        self._life = rooms.life
        self._request = request
        self._query = dict(request.query_params)
        self._address = address
        self._form = form
        self._raw = raw
        self._include = self._query.get("includeObject") or "Metadata"

    def answer(self) -> Response:
        where, method = self._address, self._request.method
        if method == "POST" and discovery.is_review(where.group, where.version, where.plural):
            return replies.answer(discovery.reviewed(where.group, self._object()), self._form, 201)
        resource = self._resource()
        if where.part:
            return self._answer_part(resource, method)
        if where.name:
            return self._answer_object(resource, method)
        return self._answer_collection(resource, method)

    def _resource(self) -> Resource:
        where = self._address
        resource = self._rooms.served.find(where.group, where.version, where.plural)
        if resource is None or (where.namespace and not resource.namespaced):
            raise no_such_path(self._request.url.path)
        return resource

    @property
    def _key(self) -> Key:
        return self._address.namespace, self._address.name

    def _body(self) -> Any:
        return writes.read_body(self._raw, self._request.headers.get("content-type", ""))

    def _object(self) -> Object:
        """The body where it must be an object, of whatever kind; an empty one counts as one."""
        body = self._body()
        if not isinstance(body, dict):
            raise bad_request("the body of the request must be an object")
        return body

    def _refused(self) -> ApiError:
        return not_allowed(self._request.method, self._request.url.path)

    def _show(self, resource: Resource, obj: Object, code: int = 200, warnings: list[str] | None = None) -> Response:
        shown = replies.formed(resource, obj, self._form, self._rooms.clock.now(), self._include)
        return replies.answer(shown, self._form, code, warnings)

    # one object

    def _answer_object(self, resource: Resource, method: str) -> Response:
        if resource.namespaced and not self._address.namespace:
            raise no_such_path(self._request.url.path)
        match method:
            case "GET":
                if self._query.get("watch") in ("true", "1"):
                    return self._watch(resource)
                return self._show(resource, resource.shown(self._life.get(resource, self._key)))
            case "PUT":
                return self._replace(resource, "")
            case "PATCH":
                return self._patch(resource, "")
            case "DELETE":
                return self._delete(resource)
        raise self._refused()

    def _answer_part(self, resource: Resource, method: str) -> Response:
        if self._address.part != "status":
            raise not_modelled(f"the subresource {resource.qualified}/{self._address.part}")
        if not resource.status:
            raise no_such_path(self._request.url.path)
        match method:
            case "GET":
                return self._show(resource, resource.shown(self._life.get(resource, self._key)))
            case "PUT":
                return self._replace(resource, "status")
            case "PATCH":
                return self._patch(resource, "status")
        raise self._refused()

    def _options(self, body: Object | None = None) -> Options:
        return writes.options_of(self._query, self._request.headers.get("user-agent", ""), body)

    def _replace(self, resource: Resource, part: Part) -> Response:
        options = self._options()
        obj = writes.replace(self._life, resource, self._key, self._object(), part, options)
        return self._show(resource, obj, warnings=options.warnings)

    def _patch(self, resource: Resource, part: Part) -> Response:
        options, body = self._options(), self._body()
        kind = self._request.headers.get("content-type", "").split(";")[0].strip()
        if kind == writes.APPLY:
            if "fieldManager" not in self._query:
                raise ApiError(422, "Invalid", "fieldManager: Required value: is required for apply patch")
            force = self._query.get("force") in ("true", "1")
            obj, made = writes.apply(self._life, resource, self._key, body, part, options, force)
            return self._show(resource, obj, 201 if made else 200, options.warnings)
        obj = writes.patch(self._life, resource, self._key, kind, body, part, options)
        return self._show(resource, obj, warnings=options.warnings)

    def _delete(self, resource: Resource) -> Response:
        body = self._object()
        last, gone = self._doom(resource, self._key, body)
        if not gone:
            return self._show(resource, last)
        details = {"name": self._address.name, "group": resource.group, "kind": resource.plural}
        uid = last["metadata"]["uid"]
        status: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        return replies.answer({**status, "details": {**details, "uid": uid}}, self._form)

    def _doom(self, resource: Resource, key: Key, body: Object) -> tuple[Object, bool]:
        policy = body.get("propagationPolicy") or self._query.get("propagationPolicy") or ""
        hold = {"Foreground": FOREGROUND, "Orphan": ORPHAN}.get(policy, "")
        preconditions = body.get("preconditions") or {}
        if not isinstance(preconditions, dict):
            raise bad_request("preconditions must be an object")
        return self._life.delete(resource, key, self._options(body), preconditions, hold)

    # many objects

    def _answer_collection(self, resource: Resource, method: str) -> Response:
        match method:
            case "GET":
                if self._query.get("watch") in ("true", "1"):
                    return self._watch(resource)
                found = page(self._life.store, resource, self._address.namespace, self._query)
                now = self._rooms.clock.now()
                return replies.answer(replies.formed_list(resource, found, self._form, now, self._include), self._form)
            case "POST" if "create" in resource.verbs:
                return self._create(resource)
            case "DELETE":
                return self._delete_collection(resource)
        raise self._refused()

    def _create(self, resource: Resource) -> Response:
        if resource.namespaced and not self._address.namespace:
            raise self._refused()
        options = self._options()
        obj = self._life.create(resource, self._address.namespace, self._object(), options)
        return self._show(resource, obj, 201, options.warnings)

    def _delete_collection(self, resource: Resource) -> Response:
        body = self._object()
        matches = wanted(resource, self._query)
        found = [resource.shown(obj) for obj in self._life.store.objects(resource.table, self._address.namespace)]
        doomed = [obj for obj in found if matches(obj)]
        for obj in doomed:
            if self._life.store.get(resource.table, key_of(obj)) is None:
                continue  # gone with its owner, a moment ago
            self._doom(resource, key_of(obj), body)
        meta = {"resourceVersion": str(self._life.store.version)}
        head = {"kind": resource.list_name, "apiVersion": resource.api_version, "metadata": meta}
        return replies.answer({**head, "items": doomed}, self._form)

    def _watch(self, resource: Resource) -> Response:
        where = self._address
        request = watch.request_of(resource, where.namespace, where.name, self._query, self._rooms.dice)
        running = watch.Watch(self._life.store, request)
        return replies.Stream(running, resource, self._form, self._rooms.clock.now, self._include)
