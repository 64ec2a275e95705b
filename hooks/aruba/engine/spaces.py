"""Namespaces as the policies of an installation need them: which tenants one may name, who may refer into one.

Where such a policy is in force they are read live, never from the hook's body: whoever could forge that would name any
tenant. Called by `reconcile` before anything else is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hooks.aruba.engine.notes import DELETE_POLICY
from hooks.aruba.engine.policies import of_namespace
from hooks.aruba.engine.ports import KubePort
from hooks.aruba.engine.resolve import foreign
from hooks.aruba.engine.story import Policy
from hooks.aruba.engine.values import Raw
from hooks.aruba.model.kind import Kind
from hooks.contract.requests import Parent, SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

TENANTS = "arubacloud.com/tenants"
"""On a Namespace: the tenants that its objects may name, divided by commas."""
GRANTED = "arubacloud.com/allow-references-from"
"""On a Namespace: the Namespaces whose objects may refer into it, divided by commas; `*` is all."""
SAME_TENANT = "same-tenant"


class Listed(frozenset[str]):
    """Names from an annotation; `*` among them stands for every name."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or super().__contains__("*")


class Space(NamedTuple):
    """One Namespace; `raw` is None where it is not there or not shown, `fault` says why."""

    raw: Raw | None
    fault: str = ""

    @property
    def tenants(self) -> frozenset[str]:
        return frozenset(_names(self.raw, TENANTS))

    @property
    def grants(self) -> frozenset[str]:
        return Listed(_names(self.raw, GRANTED))


async def spaces(
    kind: Kind, call: SyncCall, policy: Policy, kube: KubePort, deadline: Deadline
) -> Mapping[str, Space] | Trouble:
    """The Namespaces that decide; none where no policy asks for one. Trouble is of the passing kind."""
    found: dict[str, Space] = {}
    if call.parent.metadata.annotations.get(DELETE_POLICY) == "orphan" and call.finalizing:
        return found  # the way out: it rests on as little as it can
    for name in _asked(kind, call.parent, policy):
        raw = await kube.space(name, deadline)
        if not isinstance(raw, Trouble):
            found[name] = Space(raw)
        elif raw.lasting:
            found[name] = Space(None, f"Kubernetes refuses to show it ({raw.text})")
        else:
            return raw
    return found


def _asked(kind: Kind, parent: Parent, policy: Policy) -> list[str]:
    own = parent.metadata.namespace or ""
    names = [own] if policy.allowing else []
    if policy.granting:
        names += foreign(kind, parent)
    return [name for name in dict.fromkeys(names) if name]


def _names(raw: Raw | None, annotation: str) -> list[str]:
    listed = of_namespace(raw).get(annotation, "")
    return [name for part in listed.split(",") if (name := part.strip())]
