"""What Metacontroller posts (mc §2.3), read from bytes; a body of another shape is not a hook call."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from hooks.meta.objects import ObjectMeta

Raw = dict[str, Any]
Related = dict[str, dict[str, Raw]]
"""Related objects: `<Kind>.<group>/<version>` (core: `<Kind>.<version>`) to `<namespace>/<name>` to object."""


class Parent(BaseModel):
    """The custom resource that a hook call is about; `spec` and `status` as stored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    apiVersion: str = Field(min_length=1)
    kind: str = Field(min_length=1)
    metadata: ObjectMeta
    spec: Raw = Field(default_factory=dict)
    status: Raw | None = None


class _Call(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    controller: Raw = Field(default_factory=dict)
    parent: Parent

    @property
    def versions(self) -> set[str]:
        """Of the hooks, as the CompositeController says that called: one that says none is of v1 (mc §1.3)."""
        spec = self.controller.get("spec")
        hooks = spec.get("hooks") if isinstance(spec, dict) else None
        said = hooks.values() if isinstance(hooks, dict) else ()
        return {str(hook.get("version") or "v1") for hook in said if isinstance(hook, dict)}


class SyncCall(_Call):
    """The body of `sync` and of `finalize`."""

    children: dict[str, dict[str, Raw]] = Field(default_factory=dict)
    related: Related = Field(default_factory=dict)
    finalizing: bool = False

    def about(self, raw: Raw) -> SyncCall:
        """The same call, about the object as Kubernetes has it."""
        return self.model_copy(update={"parent": Parent.model_validate(raw)})


class CustomizeCall(_Call):
    """The body of `customize`."""
