"""Faults that a test puts in the way: delays, foreign answers, cut connections.

The admin API appends them; the edge asks for the one that strikes. The first armed fault that matches wins; a request
that it lets pass (`after`) or that comes when it is used up (`times`) falls through to the next.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Match(_Strict):
    """`path` is searched, without the query, in the path as it was asked. An absent member matches everything."""

    method: str | None = None
    path: str = ""

    @field_validator("path")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as problem:
            raise ValueError(f"{value!r} is no regular expression: {problem}") from problem
        return value

    def hits(self, method: str, path: str) -> bool:
        return (self.method or method).upper() == method and re.search(self.path, path) is not None


class Effect(_Strict):
    """What happens. `delay` (seconds) comes first; then the work, unless another answer or a cut replaces it."""

    status: int | None = Field(None, ge=200, le=599)
    body: JsonValue = None
    text: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    delay: float = Field(0.0, ge=0)
    drop: Literal["before", "after"] | None = None
    work: bool = False

    @property
    def answers(self) -> bool:
        """It has an answer of its own."""
        return self.status is not None or self.text is not None or "body" in self.model_fields_set

    @property
    def works(self) -> bool:
        """The request is carried out (its own answer may still be replaced or cut off)."""
        return self.drop != "before" and (self.work or self.drop == "after" or not self.answers)


class Fault(_Strict):
    """`times`: how many requests it strikes, absent or null for all; `after`: how many matches it lets pass first."""

    match: Match = Match()
    times: int | None = Field(None, ge=1)
    after: int = Field(0, ge=0)
    then: Effect


class Faults:
    """The faults in force, in the order in which they came."""

    def __init__(self) -> None:
        self._faults: list[tuple[Fault, _Tally]] = []

    def append(self, faults: list[Fault]) -> None:
        self._faults += [(fault, _Tally()) for fault in faults]

    def clear(self) -> None:
        self._faults.clear()

    def strike(self, method: str, path: str) -> Effect | None:
        """The effect for this request, counted."""
        for fault, tally in self._faults:
            if fault.match.hits(method, path) and tally.armed(fault):
                return fault.then
        return None

    def shown(self) -> list[dict[str, Any]]:
        return [fault.model_dump() | {"struck": tally.struck} for fault, tally in self._faults]


class _Tally:
    def __init__(self) -> None:
        self.passed = 0
        self.struck = 0

    def armed(self, fault: Fault) -> bool:
        if fault.times is not None and self.struck >= fault.times:
            return False
        if self.passed < fault.after:
            self.passed += 1
            return False
        self.struck += 1
        return True
