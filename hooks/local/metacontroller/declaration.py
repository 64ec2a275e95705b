"""A CompositeController as this engine takes it: read once, refused at once where it cannot be honoured (mc §1).

`run.py` reads one per controller; what is refused here would otherwise go wrong quietly in the middle of a trial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hooks.local.metacontroller.api import Object
from hooks.local.metacontroller.errors import UnmodelledError
from hooks.local.metacontroller.selector import Selector
from hooks.meta.times import parse_duration

__all__ = ["Composite", "Webhook"]

DEFAULT_TIMEOUT = 10.0
KNOWN = {"parentResource", "childResources", "hooks", "generateSelector", "resyncPeriodSeconds"}
KNOWN_PARENT = {"apiVersion", "resource", "labelSelector"}
KNOWN_HOOKS = {"sync", "finalize", "customize"}
KNOWN_WEBHOOK = {"url", "service", "path", "timeout", "responseUnMarshallMode"}


@dataclass(frozen=True)
class Webhook:
    """Where a hook is called, and for how many seconds at most, the body included."""

    url: str
    timeout: float


@dataclass(frozen=True)
class Composite:
    """One controller: its parents, its hooks, and the object itself as each request carries it."""

    name: str
    raw: Object
    api_version: str
    plural: str
    selector: Selector | None
    resync: float | None
    webhooks: dict[str, Webhook]

    @property
    def finalizer(self) -> str:
        return f"metacontroller.io/compositecontroller-{self.name}"

    @property
    def definition(self) -> str:
        """The name of the CustomResourceDefinition that its parents must have (mc §1.1)."""
        return f"{self.plural}.{self.api_version.partition('/')[0]}"

    @classmethod
    def read(cls, raw: Object) -> Composite:
        """Raises `UnmodelledError` for a controller that asks for more than this engine does."""
        name, spec = raw["metadata"]["name"], raw["spec"]
        _refuse_unknown(name, spec)
        parent, hooks = spec["parentResource"], spec.get("hooks") or {}
        webhooks = {hook: _webhook(f"{name}: hooks.{hook}", declared) for hook, declared in hooks.items() if declared}
        if "sync" not in webhooks:
            raise UnmodelledError(f"{name}: hooks.sync is missing, so every pass would fail")
        selector, resync = parent.get("labelSelector"), spec.get("resyncPeriodSeconds")
        return cls(
            name=name,
            raw={"apiVersion": "metacontroller.k8s.io/v1alpha1", "kind": "CompositeController"} | raw | {"status": {}},
            api_version=parent["apiVersion"],
            plural=parent["resource"],
            selector=None if selector is None else Selector.read(selector, "parentResource.labelSelector"),
            resync=None if resync is None else max(float(resync), 1.0),
            webhooks=webhooks,
        )

    def selects(self, parent: Object) -> bool:
        """Whether its labels are those of our parents."""
        return self.selector is None or self.selector.matches(parent["metadata"].get("labels") or {})

    def concerns(self, parent: Object) -> bool:
        """Whether it is ours to look at: selected, or still carrying our finalizer."""
        return self.selects(parent) or self.finalizer in (parent["metadata"].get("finalizers") or ())


def _refuse_unknown(name: str, spec: Object) -> None:
    if spec.get("childResources"):
        raise UnmodelledError(f"{name}: spec.childResources: children need a real Metacontroller")
    if spec.get("generateSelector") is not True:
        raise UnmodelledError(f"{name}: spec.generateSelector must be true, or every parent would need a spec.selector")
    odd = set(spec) - KNOWN
    odd |= {f"parentResource.{field}" for field in spec["parentResource"] if field not in KNOWN_PARENT}
    odd |= {f"hooks.{hook}" for hook in spec.get("hooks") or () if hook not in KNOWN_HOOKS}
    if odd:
        raise UnmodelledError(f"{name}: this engine does not know spec.{', spec.'.join(sorted(odd))}")


def _webhook(where: str, declared: Object) -> Webhook:
    webhook = declared.get("webhook") or {}
    odd = sorted(set(webhook) - KNOWN_WEBHOOK)
    if odd:
        raise UnmodelledError(f"{where}: this engine does not know webhook.{', webhook.'.join(odd)}")
    if declared.get("version") != "v2" or webhook.get("responseUnMarshallMode", "strict") != "strict":
        raise UnmodelledError(f"{where}: this engine speaks version v2, in strict mode, only")
    return Webhook(_url(where, webhook), _seconds(where, webhook.get("timeout")))


def _url(where: str, webhook: Object) -> str:
    """`url` wins; a service has no `.svc` and keeps port 80 whatever the protocol (mc §1.3)."""
    if webhook.get("url"):
        return str(webhook["url"])
    service, path = webhook.get("service"), webhook.get("path")
    if service is None or path is None:
        raise UnmodelledError(f"{where}.webhook needs either url, or both service and path")
    return (
        f"{service.get('protocol', 'http')}://{service['name']}.{service['namespace']}:{service.get('port', 80)}{path}"
    )


def _seconds(where: str, text: Any) -> float:
    """A Go duration; 10 s where none, or none above zero, is given."""
    if text is None:
        return DEFAULT_TIMEOUT
    try:
        return parse_duration(text).total_seconds() or DEFAULT_TIMEOUT
    except ValueError as wrong:
        raise UnmodelledError(f"{where}.webhook.timeout: {wrong}") from wrong
