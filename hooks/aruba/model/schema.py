"""Base models of spec and status: at once what hooks parse, what CRDs are generated from and what docs show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hooks.aruba.model.marks import AtMeta, Ignored, To, Word
from hooks.aruba.model.tenant import TENANT


class Schema(BaseModel):
    """A frozen part of a spec or status; a field's docstring is its description in the CRD."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


class Ref(Schema):
    """A Kubernetes object by name and namespace."""

    name: str
    """Name of the referenced object."""
    namespace: str
    """Namespace of the referenced object; it may differ from this object's own."""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class CommonSpec(Schema):
    """What every kind's spec has."""

    tenant: Annotated[
        str | None,
        Ignored("it says whose credentials are used; the cloud does not show it"),
        Field(json_schema_extra={"pattern": TENANT}),
    ] = None
    """Account or tenant whose credentials the operator uses for this resource; what names none is of its Project's."""
    tags: Annotated[tuple[str, ...] | None, AtMeta("tags")] = None
    """Tags of the cloud resource; their order does not matter."""


class RegionalSpec(CommonSpec):
    """What the spec of every kind but Project has."""

    region: Annotated[str, AtMeta("location.value"), Word()] = "ITBG-Bergamo"
    """Region of the resource, for example ITBG-Bergamo."""
    projectReference: Annotated[Ref, To("Project")]
    """The Project that this resource belongs to."""


class ConditionSchema(Schema):
    """A standard Kubernetes condition."""

    type: Annotated[str, Field(max_length=316)]
    """A phase that this object went through, or Ready, Stalled, ChangeRefused."""
    status: str
    """True, False or Unknown."""
    observedGeneration: int | None = None
    """The generation of the spec that this condition speaks of."""
    lastTransitionTime: datetime
    """When status last changed."""
    reason: Annotated[str, Field(min_length=1, max_length=1024)]
    """Why, in one word."""
    message: Annotated[str, Field(max_length=32768)]
    """Why, in a sentence."""


class CommonStatus(Schema):
    """What every kind's status has; IDs of referenced resources are added from the kind's references."""

    phase: str | None = None
    """Where this object stands: Pending, Creating, Provisioning, WaitingCondition, Active, Updating, Deleting, Deleted or Failed."""  # noqa: E501 - one sentence, shown whole by kubectl explain
    message: str | None = None
    """What it is waiting for, or what went wrong, and what can be done."""
    resourceID: str | None = None
    """ID of the cloud resource."""
    origin: str | None = None
    """Created (by this operator), TakenOver (from the Go operator) or Adopted (it was there before)."""
    cloudState: str | None = None
    """State of the resource in the cloud's own word, at the last look."""
    observedGeneration: int | None = None
    """The generation of the spec that this status speaks of."""
    phaseStartTime: datetime | None = None
    """Since when the current creation, update or deletion has been going on, or last made progress."""
    nextAttemptTime: datetime | None = None
    """After a failed call, and after a change: not before this time will it be sent again."""
    missingSince: datetime | None = None
    """While deleting: since when the resource and its whole project are not found."""
    lastChange: str | None = None
    """Digest of the change that was sent last, and whether the cloud took it, until it is seen to be applied."""
    appliedSpec: str | None = None
    """Digest of what was asked for when the cloud was last seen to have it; what differs from then on is drift."""
    namesakes: list[str] | None = None
    """Resources of the same name in the same place that other objects made, by ID, each with its object if known."""
    lastHandledReconcileAt: str | None = None
    """The value of the annotation arubacloud.com/reconcile-at that was last acted on."""
    conditions: list[ConditionSchema] | None = None
    """One condition per phase visited, plus Ready and Stalled."""
