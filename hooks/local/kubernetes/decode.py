"""From a request's body to an object of the kind it was sent to: envelope, unknown fields, defaults.

Called by `lifecycle` for creates and for the outcome of every change.
"""

from __future__ import annotations

from typing import Any, Literal

from hooks.local.kubernetes.errors import ApiError, bad_request, shown, undecodable
from hooks.local.kubernetes.naming import METADATA
from hooks.local.kubernetes.objects import Object, metadata
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.structural import prune
from hooks.local.kubernetes.validation import findings, validator

Strictness = Literal["Strict", "Warn", "Ignore"]


class Decoder:
    """Holds the checker of metadata, which all kinds share."""

    def __init__(self) -> None:
        self._metadata = validator({"type": "object", "properties": {"metadata": METADATA}})

    def decode(self, resource: Resource, body: Any, strictness: Strictness, warnings: list[str]) -> Object:
        """The object with defaults and without unknown fields; they are refused or named in `warnings`.

        Raises ApiError 400 for what is not an object of this kind.
        """
        if not isinstance(body, dict):
            raise bad_request(f"couldn't get version/kind; json parse error: {shown(body)[:80]} is not an object")
        _check_envelope(resource, body)
        unknown: list[str] = []
        meta = prune(metadata(body), METADATA, "metadata", unknown)
        self._check_metadata(resource, meta)
        meta = {name: value for name, value in meta.items() if value not in (None, "", [], {})}
        pruned, more = resource.schema.prune({**body, "metadata": meta})
        _tell(resource, [*unknown, *more], strictness, warnings)
        return resource.schema.fill(pruned)

    def _check_metadata(self, resource: Resource, meta: Object) -> None:
        wrong = findings(self._metadata, {"metadata": meta})
        if wrong:
            raise undecodable(resource, "; ".join(str(fault) for _, fault in wrong))


def _check_envelope(resource: Resource, body: Object) -> None:
    if not body.get("kind"):
        raise bad_request(f"Object 'Kind' is missing in '{shown(body)[:200]}'")
    if not isinstance(body.get("metadata", {}), dict | None):
        raise undecodable(resource, "metadata must be an object")
    expected = (resource.api_version, resource.kind)
    given = (body.get("apiVersion"), body["kind"])
    if given != expected:
        raise bad_request(
            f"the API version and kind in the data ({given[0]}, {given[1]}) do not match the expected"
            f" ({expected[0]}, {expected[1]})"
        )


def _tell(resource: Resource, unknown: list[str], strictness: Strictness, warnings: list[str]) -> None:
    texts = [f'unknown field "{path}"' for path in unknown]
    if strictness == "Strict" and texts:
        raise undecodable(resource, f"strict decoding error: {', '.join(texts)}")
    if strictness == "Warn":
        warnings.extend(texts)


def strictness_of(text: str | None) -> Strictness:
    """`fieldValidation` of a request; Warn is the server's default."""
    match text:
        case None | "" | "Warn":
            return "Warn"
        case "Strict":
            return "Strict"
        case "Ignore":
            return "Ignore"
    detail = f'invalid fieldValidation {shown(text)}: supported values: "Ignore", "Strict", "Warn"'
    raise ApiError(422, "Invalid", detail)
