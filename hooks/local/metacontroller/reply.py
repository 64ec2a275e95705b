"""What a webhook may answer, decoded as strictly as Metacontroller does for v2 hooks (mc §2.4, §2.5).

`pass_.py` reads sync and finalize replies, `related.py` those of customize.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hooks.local.metacontroller.errors import HookError, UnmodelledError
from hooks.local.metacontroller.selector import Selector
from hooks.local.metacontroller.strict import Types, fields, parse, strings

__all__ = ["Reply", "Rule", "composite_reply", "customize_reply"]

COMPOSITE: Types = {"status": dict, "children": list, "resyncAfterSeconds": (int, float), "finalized": bool}
CUSTOMIZE: Types = {"relatedResources": list}
RULE: Types = {
    "apiVersion": str,
    "resource": str,
    "labelSelector": dict,
    "namespaceSelector": dict,
    "namespace": str,
    "names": list,
}


@dataclass(frozen=True)
class Reply:
    """Of sync or finalize. An absent `status` is empty, which wipes the object's (mc §2.4)."""

    status: dict[str, Any]
    resync_after: float
    finalized: bool


@dataclass(frozen=True)
class Rule:
    """One selection of related objects (mc §4.2)."""

    api_version: str
    resource: str
    namespace: str
    names: frozenset[str]
    selector: Selector | None

    def check(self) -> None:
        """Refused when the rule is used, not when it is read: an event meets it without a word."""
        if self.names and self.selector is not None:
            raise HookError(f"related rule cannot have both names and labelSelector specified: {self}")

    def matches(self, item: dict[str, Any]) -> bool:
        """Whether an object of this rule's kind is selected; nothing given selects everything."""
        meta = item["metadata"]
        if self.namespace and meta.get("namespace") and meta["namespace"] != self.namespace:
            return False
        if self.names:
            return self.selector is None and meta["name"] in self.names
        return self.selector is None or self.selector.matches(meta.get("labels") or {})


def composite_reply(raw: bytes) -> Reply:
    found = fields(parse(raw), COMPOSITE, "")
    children = found.get("children", [])
    if None in children:
        raise HookError(f"children[{children.index(None)}] is null: Metacontroller itself dies of it (mc §2.5)")
    if children:
        raise UnmodelledError("the reply holds children: this engine works for controllers without childResources only")
    return Reply(
        status=found.get("status", {}),
        resync_after=float(found.get("resyncAfterSeconds", 0)),
        finalized=found.get("finalized", False),
    )


def customize_reply(raw: bytes) -> tuple[Rule, ...]:
    rules = fields(parse(raw), CUSTOMIZE, "").get("relatedResources", [])
    return tuple(_rule(item, f"relatedResources[{n}]") for n, item in enumerate(rules))


def _rule(item: Any, where: str) -> Rule:
    if item is None:
        raise HookError(f"{where} is null: Metacontroller itself dies of it (mc §2.5)")
    found = fields(item, RULE, where)
    if "namespaceSelector" in found:
        raise UnmodelledError(f"{where}.namespaceSelector: this engine knows namespace, names and labelSelector")
    return Rule(
        api_version=found.get("apiVersion", ""),
        resource=found.get("resource", ""),
        namespace=found.get("namespace", ""),
        names=frozenset(strings(found.get("names", []), f"{where}.names")),
        selector=Selector.read(found["labelSelector"], f"{where}.labelSelector") if "labelSelector" in found else None,
    )
