"""Values against a structural schema, refused in the API server's own words.

`jsonschema-rs` finds what is wrong; here a CRD's schema is put into its dialect and its findings into Kubernetes'
texts (kube-openapi's `errors` package). Built once for each schema by `schema`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any, cast

from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

from hooks.local.kubernetes.errors import Fault, invalid_value, plain_fault, shown
from hooks.local.kubernetes.objects import Object

Path = tuple[str | int, ...]
Finding = tuple[Path, Fault]
"""Where the schema that was not met sits in the object, and what to say."""

_COPIED = (
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "pattern",
    "required",
)
_GO_DURATION = re.compile(r"[-+]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+")
_CIDR = re.compile(r"[0-9a-fA-F:.]+/\d{1,3}")
_MAC = re.compile(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "byte": _is_base64,
    "cidr": lambda text: _CIDR.fullmatch(text) is not None,
    "duration": lambda text: _GO_DURATION.fullmatch(text) is not None,
    "mac": lambda text: _MAC.fullmatch(text) is not None,
}
_KNOWN_FORMATS = {*FORMATS, "date-time", "date", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"}


def validator(schema: Object) -> Draft202012Validator:
    return Draft202012Validator(
        translate(schema), validate_formats=True, formats=FORMATS, pattern_options=RegexOptions()
    )


def translate(schema: Object) -> Object:
    """A structural schema as JSON Schema 2020-12."""
    out = {name: schema[name] for name in _COPIED if name in schema}
    _translate_type(schema, out)
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(bound) is True and plain in out:
            out[bound] = out.pop(plain)
    if schema.get("format") in _KNOWN_FORMATS:
        out["format"] = schema["format"]
    if "properties" in schema:
        out["properties"] = {name: translate(inner) for name, inner in schema["properties"].items()}
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), dict):
            out[name] = translate(schema[name])
    for name in ("allOf", "anyOf", "oneOf"):
        if name in schema:
            out[name] = [translate(inner) for inner in schema[name]]
    return out


def _translate_type(schema: Object, out: Object) -> None:
    kinds = ["integer", "string"] if schema.get("x-kubernetes-int-or-string") else [schema.get("type")]
    if kinds == [None]:
        return
    out["type"] = [*kinds, "null"] if schema.get("nullable") else kinds
    if schema.get("nullable") and "enum" in out:
        out["enum"] = [*out["enum"], None]
    if schema.get("format") == "int32":
        out["minimum"] = out.get("minimum", -(2**31))
        out["maximum"] = out.get("maximum", 2**31 - 1)


def dotted(path: Path) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def findings(checker: Draft202012Validator, value: Any) -> list[Finding]:
    """All that is wrong, in the order of the fields' names."""
    found = [_finding(error) for error in checker.iter_errors(value)]
    return sorted(found, key=lambda finding: finding[1].field)


def _finding(error: ValidationError) -> Finding:
    path = cast(Path, tuple(error.instance_path))
    field = dotted(path)
    facts = error.kind.as_dict()
    special = _SPECIAL.get(error.kind.name)
    if special is not None:
        return path, special(field, error.instance, facts)
    return path, invalid_value(field, error.instance, f"{field} in body {_plain(error, facts)}")


def _plain(error: ValidationError, facts: Object) -> str:
    words = _WORDS.get(error.kind.name)
    return words.format(limit=facts.get("limit"), pattern=facts.get("pattern")) if words else error.message


_WORDS = {
    "minimum": "should be greater than or equal to {limit}",
    "maximum": "should be less than or equal to {limit}",
    "exclusiveMinimum": "should be greater than {limit}",
    "exclusiveMaximum": "should be less than {limit}",
    "minLength": "should be at least {limit} chars long",
    "pattern": "should match '{pattern}'",
    "minProperties": "should have at least {limit} properties",
}


def _type(field: str, value: Any, facts: Object) -> Fault:
    wanted = [kind for kind in facts.get("types", ()) if kind != "null"]
    actual = _type_name(value)
    detail = f'{field} in body must be of type {",".join(wanted)}: "{actual}"'
    return invalid_value(field, actual, detail, "FieldValueTypeInvalid")


def _type_name(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
    return names.get(type(value), "null")


def _required(field: str, value: Any, facts: Object) -> Fault:
    missing = facts["property"]
    return plain_fault(f"{field}.{missing}" if field else missing, "FieldValueRequired")


def _enum(field: str, value: Any, facts: Object) -> Fault:
    options = facts.get("options") or []
    listed = ", ".join(shown(option) for option in options if option is not None)
    return Fault(field, "FieldValueNotSupported", f"Unsupported value: {shown(value)}: supported values: {listed}")


def _too_long(field: str, value: Any, facts: Object) -> Fault:
    return plain_fault(field, "FieldValueTooLong", f"may not be more than {facts['limit']} bytes")


def _too_many(field: str, value: Any, facts: Object) -> Fault:
    detail = f"{len(value)}: must have at most {facts['limit']} items"
    return plain_fault(field, "FieldValueTooMany", detail)


def _too_few(field: str, value: Any, facts: Object) -> Fault:
    return invalid_value(field, len(value), f"{field} in body should have at least {facts['limit']} items")


def _format(field: str, value: Any, facts: Object) -> Fault:
    detail = f"{field} in body must be of type {facts['format']}: {shown(value)}"
    return invalid_value(field, value, detail, "FieldValueTypeInvalid")


_SPECIAL: dict[str, Callable[[str, Any, Object], Fault]] = {
    "type": _type,
    "required": _required,
    "enum": _enum,
    "maxLength": _too_long,
    "maxItems": _too_many,
    "minItems": _too_few,
    "format": _format,
}
