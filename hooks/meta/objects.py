"""Object metadata as Kubernetes sends it, read tolerantly: members we do not name are kept out of the way."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class ObjectMeta(BaseModel):
    """The members of `metadata` that anybody here reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(min_length=1)
    uid: str = Field(min_length=1)
    namespace: str | None = None
    resourceVersion: str = ""
    generation: int = 0
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    creationTimestamp: datetime | None = None
    deletionTimestamp: datetime | None = None

    @property
    def deleting(self) -> bool:
        return self.deletionTimestamp is not None

    @property
    def path(self) -> str:
        """`namespace/name`, or the name alone."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
