"""Does Metacontroller know what to call? The CompositeControllers are held against the generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP
from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn
from hooks.cli.checks.metacontroller import INSTALL
from hooks.cli.cluster import CONTROLLERS, DEFINITIONS, Cluster, at, meta
from hooks.kube.answers import Raw
from hooks.manifests import HOOK_TIMEOUT, composite_controllers
from hooks.meta.times import parse_duration

APPLY = "kubectl apply -k metacontroller (of this version)"
HOOKS = ("sync", "finalize", "customize")
CRD = "compositecontrollers.metacontroller.k8s.io"


class Controllers(NamedTuple):
    """The findings, the base URLs that the controllers call, and the resync period of each kind that says one."""

    findings: list[Finding]
    bases: tuple[str, ...] = ()
    periods: Mapping[str, float] = MappingProxyType({})


async def controllers(cluster: Cluster, catalog: Catalog, local: bool) -> Controllers:
    """One line for all controllers that are as generated, one for each that is not."""
    definition = await cluster.get(
        f"{DEFINITIONS}/customresourcedefinitions/compositecontrollers.metacontroller.k8s.io"
    )
    if definition is None and local:
        return Controllers([warn("CompositeControllers: not checked, local mode has them built in", "nothing to do")])
    if definition is None:
        return Controllers([fail("Metacontroller's CRD compositecontrollers is missing", f"{INSTALL}, then {APPLY}")])
    found = await cluster.items(f"{CONTROLLERS}/compositecontrollers")
    if not isinstance(found, list):
        return Controllers([unseen("CompositeControllers", found)])
    bases, faults, fine = [], [], 0
    for kind in catalog:
        base, finding = _judge(kind, found)
        bases += [base] if base else []
        faults += [finding] if finding is not None else []
        fine += finding is None
    good = [ok(f"CompositeControllers: {fine} of {len(list(catalog))} as generated, calling {_told(bases)}")]
    findings = [*(good if fine else []), *faults, *_strangers(catalog, found)]
    return Controllers(findings, tuple(dict.fromkeys(bases)), _periods(catalog, found))


def _periods(catalog: Catalog, found: list[Raw]) -> dict[str, float]:
    said = {meta(item).get("name"): at(item, "spec", "resyncPeriodSeconds") for item in found}
    named = {str(kind): said.get(f"{kind.names.plural}.{GROUP}") for kind in catalog}
    return {kind: float(period) for kind, period in named.items() if isinstance(period, int) and period > 0}


def _told(bases: list[str]) -> str:
    return " and ".join(dict.fromkeys(bases)) or "nobody"


def _judge(kind: Kind, found: list[Raw]) -> tuple[str, Finding | None]:
    name = f"{kind.names.plural}.{GROUP}"
    live = next((item for item in found if meta(item).get("name") == name), None)
    if live is None:
        return "", fail(f"CompositeController {name} is missing: nobody acts on {kind} objects", APPLY)
    hooks = {hook: at(live, "spec", "hooks", hook) for hook in HOOKS}
    base, ending, _ = url_of(hooks["sync"]).rpartition(f"/v2/{kind.names.plural}/sync")
    if not ending:
        return "", fail(f"CompositeController {name} does not call this operator: {url_of(hooks['sync'])!r}", APPLY)
    (wanted,) = composite_controllers([kind], base_url=base)
    place = _lacking(_plain(wanted["spec"]), _plain(at(live, "spec")), "spec")
    if place:
        return base, fail(f"CompositeController {name} differs from the generated one at {place}", APPLY)
    return base, _too_short(name, hooks)


def url_of(hook: Any) -> str:
    """Where a hook is called, for both ways to say it (mc §1.3); `?edition=` only makes Metacontroller read anew."""
    webhook = at(hook, "webhook")
    service = at(webhook, "service")
    if not isinstance(service, dict):
        return str(at(webhook, "url") or "").partition("?edition=")[0]
    scheme, port = service.get("protocol") or "http", service.get("port") or 80
    path = str(at(webhook, "path") or "")
    return f"{scheme}://{service.get('name')}.{service.get('namespace')}.svc:{port}/{path.removeprefix('/')}"


def _plain(spec: Any) -> Raw:
    """What must be as generated: the resync period and the time-outs are the owner's, the URL has two forms."""
    hooks = {
        hook: {"version": at(said, "version"), "url": url_of(said)}
        for hook in HOOKS
        if (said := at(spec, "hooks", hook)) is not None
    }
    parent = at(spec, "parentResource")
    return {"generateSelector": at(spec, "generateSelector"), "parentResource": parent, "hooks": hooks}


def _lacking(wanted: Any, live: Any, path: str) -> str:
    """Where `live` first lacks what is wanted; more may stand in it."""
    if isinstance(wanted, dict):
        places = (_lacking(value, at(live, name), f"{path}.{name}") for name, value in wanted.items())
        return next((place for place in places if place), "")
    return "" if wanted == live else path


def _too_short(name: str, hooks: Raw) -> Finding | None:
    for hook in ("sync", "finalize"):
        text = str(at(hooks[hook], "webhook", "timeout") or "10s")
        try:
            short = parse_duration(text).total_seconds() < HOOK_TIMEOUT
        except ValueError:
            short = True
        if short:
            why = f"CompositeController {name} gives {hook} only {text}: longer passes are cut off and repeated"
            return warn(why, f"set spec.hooks.{hook}.webhook.timeout to {HOOK_TIMEOUT}s")
    return None


def _strangers(catalog: Catalog, found: list[Raw]) -> list[Finding]:
    """Two controllers on one kind would each bring a finalizer, and each act."""
    plurals = {kind.names.plural for kind in catalog}
    told = []
    for item in found:
        parent, name = at(item, "spec", "parentResource"), str(meta(item).get("name", ""))
        group = str(at(parent, "apiVersion") or "").partition("/")[0]
        resource = at(parent, "resource")
        if group == GROUP and resource in plurals and name != f"{resource}.{GROUP}":
            what = f"CompositeController {name} acts on {resource} too: two of them would both create"
            told.append(fail(what, f"kubectl delete compositecontroller {name}"))
    return told
