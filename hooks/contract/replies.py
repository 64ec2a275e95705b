"""What we answer (mc §2.4): complete always, since a missing member is a destructive answer there.

`status` and `children` are in every reply; a sync reply has no `finalized` at all, because Metacontroller acts on it
in sync too; lists never hold None, which would end the Metacontroller process (mc §2.5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SyncReply(_Strict):
    """The status that the parent should show, and when to look again (seconds; 0 means at the next event)."""

    status: dict[str, Any]
    children: list[dict[str, Any]] = Field(default_factory=list)
    resyncAfterSeconds: float = Field(default=0.0, ge=0)


class FinalizeReply(SyncReply):
    """As `SyncReply`; `finalized` lets Metacontroller remove its finalizer."""

    finalized: bool


class RelatedRule(_Strict):
    """One selection of related objects (mc §4.2). Empty selections are refused: they would select everything."""

    apiVersion: str
    resource: str
    namespace: str | None = None
    names: list[str] | None = Field(default=None, min_length=1)
    labelSelector: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _selects_something(self) -> RelatedRule:
        if self.names is None and not self.labelSelector:
            raise ValueError("a related rule without names or labels would select every object of its kind")
        return self


class CustomizeReply(_Strict):
    """The related objects that a parent wants to be told of."""

    relatedResources: list[RelatedRule]


class Busy(NamedTuple):
    """Nothing to say yet: answered as 429, which writes no status and asks again after so many whole seconds (>= 1)."""

    retry_after: int
    reason: str


Reply = SyncReply | Busy
