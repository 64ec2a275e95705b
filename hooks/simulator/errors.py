"""What the cloud answers when it refuses: RFC 7807 bodies, exactly as they were seen (api §5.3).

A rule raises a `Refusal`; the API room turns it into a body with a trace id, in the shape that the quirks ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Finding = tuple[str, str]

_RFC = "https://tools.ietf.org/html/rfc9110#section-15.5."
_TYPES = {400: _RFC + "1", 401: _RFC + "2", 403: _RFC + "4", 404: _RFC + "5", 405: _RFC + "6"}
_KEYS = {1: ("field", "message"), 2: ("fieldName", "errorMessage"), 3: ("propertyName", "errorMessage")}
DICTIONARY = 4


class Refusal(Exception):
    """An answer of 4xx. `findings` are pairs of field and message; `shape` is how this service writes them."""

    def __init__(
        self, status: int, title: str, detail: str | None = None, findings: Sequence[Finding] = (), shape: int = 1
    ) -> None:
        super().__init__(detail or title)
        self.status = status
        self.title = title
        self.detail = detail
        self.findings = tuple(findings)
        self.shape = shape

    def body(self, instance: str, trace_id: str, shape: int | None) -> dict[str, Any]:
        """The problem document; `shape` overrules the service's own (quirk `errorShape`)."""
        kind = _TYPES.get(self.status, f"https://httpstatuses.io/{self.status}")
        document: dict[str, Any] = {"type": kind, "title": self.title, "status": self.status}
        if self.detail is not None:
            document["detail"] = self.detail
        document |= {"instance": instance.lstrip("/"), "traceId": trace_id}
        if self.findings:
            document["errors"] = _shaped(self.findings, shape or self.shape)
        return document


def _shaped(findings: Sequence[Finding], shape: int) -> Any:
    if shape == DICTIONARY:
        fields: dict[str, list[str]] = {}
        for field, message in findings:
            fields.setdefault(field, []).append(message)
        return fields
    field_key, message_key = _KEYS[shape]
    return [{field_key: field, message_key: message} for field, message in findings]


def invalid(*findings: Finding) -> Refusal:
    """The request is wrong and stays wrong: `errors` says why."""
    return Refusal(400, "One or more validation errors occurred.", findings=findings)


def wrong_state() -> Refusal:
    """The resource is changing: a 400 with `errors` that is nevertheless temporary (api §5.5, cases F6)."""
    return Refusal(400, "One or more validation errors occurred.", findings=(("Status", "Invalid status"),), shape=2)


def dependency(detail: str) -> Refusal:
    """Something else is not ready, still there, or in use: a 400 without `errors`."""
    return Refusal(400, "Bad Request", detail)


def not_settled(what: str) -> Refusal:
    return dependency(f"{what} not in valid status")


def in_use() -> Refusal:
    return dependency("used by another resource")


def unauthorized() -> Refusal:
    return Refusal(401, "Unauthorized")


def forbidden() -> Refusal:
    return Refusal(403, "Forbidden", "User is not authorized to perform the operation on the resource.")


def not_found() -> Refusal:
    return Refusal(404, "Not Found")


def method_not_allowed() -> Refusal:
    return Refusal(405, "Method Not Allowed")
