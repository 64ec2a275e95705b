"""The published OpenAPI files as a judge: does the cloud declare this answer to this call?

The files are copies of the vendor's, byte for byte. Two things are put right on loading: the non-standard key
`APIDOC`, and `nullable`, which JSON Schema spells otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

FILES = Path(__file__).parent / "openapi"


@dataclass(frozen=True)
class Violation:
    """One departure: `operation` is `GET /projects/{id}`, `what` says what the files do not allow."""

    operation: str
    status: int
    what: str


@dataclass(frozen=True)
class Operation:
    """One declared call, with the schema of each declared answer (None: declared without a body)."""

    name: str
    pattern: re.Pattern[str]
    answers: Mapping[int, jsonschema_rs.Validator | None]

    def judge(self, status: int, body: bytes) -> Iterator[Violation]:
        if status not in self.answers:
            yield Violation(self.name, status, "undeclared status")
            return
        schema = self.answers[status]
        if schema is None:
            if body:
                yield Violation(self.name, status, "undeclared body")
            return
        for error in schema.iter_errors(json.loads(body) if body else None):
            where = "/".join(str(step) for step in error.instance_path if not isinstance(step, int))
            yield Violation(self.name, status, f"{where}: {error.kind.name}")


def load(name: str) -> dict[str, Any]:
    """One file, without `APIDOC`."""
    document: dict[str, Any] = json.loads((FILES / name).read_text(encoding="utf-8"))
    for path in document["paths"].values():
        for operation in path.values():
            operation.pop("APIDOC", None)
    return document


@cache
def operations() -> tuple[Operation, ...]:
    """All declared calls, literal paths before those with placeholders."""
    found = [one for file in sorted(FILES.glob("*.json")) for one in _of(load(file.name))]
    return tuple(sorted(found, key=lambda one: one.name.count("{")))


def find(method: str, path: str) -> Operation | None:
    """The declared call that this one is; paths are compared as the cloud does, without regard to case."""
    for operation in operations():
        if operation.name.startswith(f"{method} ") and operation.pattern.fullmatch(path):
            return operation
    return None


def judge(method: str, path: str, status: int, body: bytes) -> list[Violation]:
    operation = find(method, path)
    if operation is None:
        return [Violation(f"{method} {_shape(path)}", status, "undeclared call")]
    return list(operation.judge(status, body))


def _of(document: dict[str, Any]) -> Iterator[Operation]:
    components = _translated(document["components"])
    for path, calls in document["paths"].items():
        pattern = re.compile(
            re.sub(r"\{\w+\}", "[^/]+", re.escape(path).replace(r"\{", "{").replace(r"\}", "}")), re.IGNORECASE
        )
        for method, call in calls.items():
            answers = {int(code): _schema(answer, components) for code, answer in call["responses"].items()}
            yield Operation(f"{method.upper()} {path}", pattern, answers)


def _schema(answer: dict[str, Any], components: Any) -> jsonschema_rs.Validator | None:
    schema = answer.get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return None
    document = {"allOf": [_translated(schema)], "components": components}
    return jsonschema_rs.Draft7Validator(document, validate_formats=True)


def _translated(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_translated(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _translated(value) for key, value in schema.items() if key != "nullable"}
    return {"if": {"type": "null"}, "else": plain} if schema.get("nullable") is True else plain


def _shape(path: str) -> str:
    return re.sub(r"[0-9a-f]{24}", "{id}", path)
