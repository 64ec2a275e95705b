"""Do the hooks answer where the controllers call them, and what do they say of those that they depend on?

A Service is asked through the API server's proxy, so this works from a laptop; any other URL is asked directly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn
from hooks.cli.checks.readiness import reach, readiness
from hooks.cli.checks.workloads import Workload
from hooks.cli.cluster import Cluster, at
from hooks.http import URL, AsyncClient, InvalidURL
from hooks.kube.answers import Raw
from hooks.meta.outcomes import Trouble

_HOST = re.compile(r"([a-z0-9][-a-z0-9]*)\.([a-z0-9][-a-z0-9]*)\.svc(\.[-a-z0-9.]+)?")


class Service(NamedTuple):
    """A Service as a hook URL names it."""

    namespace: str
    name: str
    port: int
    scheme: str

    @property
    def path(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def proxied(self) -> str:
        """The proxy's path to its port."""
        scheme = "https:" if self.scheme == "https" else ""
        return f"/api/v1/namespaces/{self.namespace}/services/{scheme}{self.name}:{self.port}/proxy"


class Serving(NamedTuple):
    """The findings, who serves, and in what state the hooks see their peers."""

    findings: list[Finding]
    workload: Workload | None = None
    service: Service | None = None
    peers: Mapping[str, str] = MappingProxyType({})


def service_of(base: str) -> Service | None:
    """The Service that a base URL names, None for any other host."""
    try:
        url = URL(base)
    except InvalidURL:
        return None
    named = _HOST.fullmatch(url.host)
    if named is None:
        return None
    return Service(named[2], named[1], url.port or (443 if url.scheme == "https" else 80), url.scheme)


async def serving(cluster: Cluster, direct: AsyncClient, base: str, found: list[Workload]) -> Serving:
    """The Service behind a base URL, who stands behind it, and what `/readyz` says."""
    service = service_of(base)
    if service is None:
        answer = await reach(direct, f"{base}/readyz")
        findings, peers = readiness(base, answer, "the URL of the CompositeControllers must reach the hooks")
        return Serving(findings, peers=peers)
    raw = await cluster.get(f"/api/v1/namespaces/{service.namespace}/services/{service.name}")
    if not isinstance(raw, dict):
        return Serving([_no_service(service, raw)], service=service)
    workload = _behind(raw, service, found)
    findings = [*_ports(raw, service), *await _endpoints(cluster, service), *_running(workload, service)]
    asked = await _open_to_all(cluster, service) or service
    answer = await cluster.ask("GET", f"{asked.proxied}/readyz")
    told, peers = readiness(f"Service {asked.path}", answer, f"kubectl -n {service.namespace} get pods,endpointslices")
    return Serving([*findings, *told], workload, service, peers)


async def _open_to_all(cluster: Cluster, service: Service) -> Service | None:
    """The metrics' Service beside it, which tells the same: the hooks' own may ask for a certificate, or be closed to
    all but Metacontroller. None where there is none.
    """
    name = f"{service.name}-metrics"
    raw = await cluster.get(f"/api/v1/namespaces/{service.namespace}/services/{name}")
    port = at(raw, "spec", "ports", 0, "port")
    return Service(service.namespace, name, port, "http") if isinstance(port, int) else None


def _no_service(service: Service, why: Trouble | None) -> Finding:
    if why is not None:
        return unseen(f"Service {service.path}", why)
    return fail(
        f"Service {service.path}, which the CompositeControllers call, does not exist",
        "install the hooks there, or change the URLs in the CompositeControllers",
    )


def _behind(raw: Raw, service: Service, found: list[Workload]) -> Workload | None:
    """The workload whose pods the Service selects."""
    selector = at(raw, "spec", "selector")
    if not isinstance(selector, dict) or not selector:
        return None
    near = (w for w in found if w.namespace == service.namespace)
    return next((w for w in near if selector.items() <= w.labels.items()), None)


def _ports(raw: Raw, service: Service) -> Iterator[Finding]:
    ports = [at(port, "port") for port in at(raw, "spec", "ports") or ()]
    if service.port not in ports:
        told = ", ".join(map(str, ports)) or "no port"
        yield fail(f"Service {service.path} has {told}, not {service.port} as the URLs say", "give it that port")


async def _endpoints(cluster: Cluster, service: Service) -> list[Finding]:
    path = f"/apis/discovery.k8s.io/v1/namespaces/{service.namespace}/endpointslices"
    slices = await cluster.items(path, f"kubernetes.io/service-name={service.name}")
    if not isinstance(slices, list):
        return [unseen(f"endpoints of Service {service.path}", slices)]
    points = [point for item in slices for point in at(item, "endpoints") or ()]
    ready = sum(at(point, "conditions", "ready") is not False for point in points)
    if ready:
        return [ok(f"Service {service.path} has {ready} ready endpoint{'s' * (ready > 1)}")]
    why = f"{len(points)} not ready" if points else "no pod is selected by it"
    return [fail(f"Service {service.path} has no ready endpoint: {why}", f"kubectl -n {service.namespace} get pods")]


def _running(workload: Workload | None, service: Service) -> list[Finding]:
    if workload is None:
        return [warn(f"no Deployment seen behind Service {service.path}", "nothing to do, if its endpoints are ready")]
    told = f"{workload}, {', '.join(workload.images)}, {workload.ready} of {workload.wanted} ready"
    if workload.wanted == 0:
        return [fail(f"the hooks are scaled to 0: {told}", f"{workload.scaled}1")]
    if workload.ready < workload.wanted:
        why = f"kubectl -n {workload.namespace} logs {workload.kind.lower()}/{workload.name}"
        return [(warn if workload.ready else fail)(f"the hooks are not all ready: {told}", why)]
    return [ok(f"the hooks run: {told}")]
