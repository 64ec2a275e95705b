"""Kubernetes' own errors: a `Status` object with a code, a reason and the text that kubectl prints.

Raised anywhere below `app`, which turns them into replies. The wording follows apimachinery's `errors` and `field`
packages, because users and tests read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooks.local.kubernetes.objects import Object

if TYPE_CHECKING:  # a resource holds its schema, whose faults are made here
    from hooks.local.kubernetes.resources import Resource

_TITLES = {
    "FieldValueInvalid": "Invalid value",
    "FieldValueTypeInvalid": "Invalid value",
    "FieldValueRequired": "Required value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueTooLong": "Too long",
    "FieldValueTooMany": "Too many",
}


class ApiError(Exception):
    """A refusal, as the caller will read it."""

    def __init__(self, code: int, reason: str, message: str, details: Object | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details or {}

    def status(self) -> Object:
        body: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        }
        return {**body, **({"details": self.details} if self.details else {}), "code": self.code}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one field (`field.Error`): `text` is what follows the field's name and a colon."""

    field: str
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.field or '<nil>'}: {self.text}"

    def cause(self) -> Object:
        return {"reason": self.reason, "message": self.text, "field": self.field or "<nil>"}


def shown(value: Any) -> str:
    """A value inside an error text: JSON, as `field.Error` prints it."""
    return json.dumps(value, ensure_ascii=False)


def invalid_value(field: str, value: Any, detail: str, reason: str = "FieldValueInvalid") -> Fault:
    return Fault(field, reason, f"{_TITLES[reason]}: {shown(value)}: {detail}")


def plain_fault(field: str, reason: str, detail: str = "") -> Fault:
    """A fault that does not show the value: required, forbidden, too long."""
    return Fault(field, reason, f"{_TITLES[reason]}: {detail}" if detail else _TITLES[reason])


def immutable(field: str, value: Any) -> Fault:
    return invalid_value(field, value, "field is immutable")


def _details(resource: Resource, name: str, kind: str | None = None) -> Object:
    details = {"name": name, "group": resource.group, "kind": kind or resource.plural}
    return {key: value for key, value in details.items() if value}


def not_found(resource: Resource, name: str) -> ApiError:
    return ApiError(404, "NotFound", f'{resource.qualified} "{name}" not found', _details(resource, name))


def already_exists(resource: Resource, name: str) -> ApiError:
    return ApiError(409, "AlreadyExists", f'{resource.qualified} "{name}" already exists', _details(resource, name))


def conflict(resource: Resource, name: str, why: str) -> ApiError:
    text = f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}'
    return ApiError(409, "Conflict", text, _details(resource, name))


def modified(resource: Resource, name: str) -> ApiError:
    """Another write came first."""
    why = "the object has been modified; please apply your changes to the latest version and try again"
    return conflict(resource, name, why)


def precondition_failed(resource: Resource, name: str, field: str, wanted: str, actual: str) -> ApiError:
    why = f"Precondition failed: {field} in precondition: {wanted}, {field} in object meta: {actual}"
    return conflict(resource, name, why)


def forbidden(resource: Resource, name: str, why: str, causes: list[Object] | None = None) -> ApiError:
    details = _details(resource, name)
    text = f'{resource.qualified} "{name}" is forbidden: {why}'
    return ApiError(403, "Forbidden", text, {**details, "causes": causes} if causes else details)


def invalid(resource: Resource, name: str, faults: Iterable[Fault]) -> ApiError:
    unique = list(dict.fromkeys(faults))
    texts = [str(fault) for fault in unique]
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = {**_details(resource, name, resource.kind), "causes": [fault.cause() for fault in unique]}
    return ApiError(422, "Invalid", f'{resource.qualified_kind} "{name}" is invalid: {joined}', details)


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def undecodable(resource: Resource, why: str) -> ApiError:
    """The body is not an object of this kind, or, under strict validation, holds what the kind does not know."""
    return bad_request(f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {why}')


def expired(message: str = "The resourceVersion for the provided watch is too old.") -> ApiError:
    return ApiError(410, "Expired", message)


def no_such_path(path: str) -> ApiError:
    text = f"the server could not find the requested resource: {path} is not served by this local Kubernetes API"
    return ApiError(404, "NotFound", text)


def not_allowed(method: str, path: str) -> ApiError:
    text = f"the server does not allow this method on the requested resource: {method} {path}"
    return ApiError(405, "MethodNotAllowed", text)


def not_modelled(what: str) -> ApiError:
    """A part of Kubernetes that this API does not imitate: said aloud, never guessed."""
    return ApiError(501, "NotImplemented", f"{what} is not modelled by this local Kubernetes API")


def unsupported_media_type(given: str, supported: Iterable[str]) -> ApiError:
    text = f"the body of the request was in an unknown format - accepted media types include: {', '.join(supported)}"
    return ApiError(415, "UnsupportedMediaType", f"{text} (got {given or 'none'})")


def missing_namespace(name: str) -> ApiError:
    return ApiError(404, "NotFound", f'namespaces "{name}" not found', {"name": name, "kind": "namespaces"})


def terminating(resource: Resource, name: str, namespace: str) -> ApiError:
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    return forbidden(resource, name, why, [cause])
