"""Where the settings come from: what the Deployment mounts and sets, else ConfigMap and Secret of upstream's names.

Values of a Secret are judged and never shown.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hooks.cli.checks.finding import Finding, fail, unseen, warn
from hooks.cli.checks.workloads import Workload
from hooks.cli.cluster import Cluster, at
from hooks.meta.outcomes import Trouble

UPSTREAM = ("operator-config", "aruba-controller-manager")
"""Upstream's names for both objects (behaviour §3.1)."""
_PLACES = (
    ("ConfigMap", "configMap", "name"),
    ("Secret", "secret", "secretName"),
    ("Secret", "secret", "name"),
    ("ConfigMap", "configMapRef", "name"),
    ("Secret", "secretRef", "name"),
)


class Source(NamedTuple):
    """One ConfigMap or Secret; `items` are the keys that are taken of it, with the names that they get; none: all."""

    kind: str
    name: str
    items: tuple[tuple[str, str], ...] = ()

    def taken(self, values: dict[str, str]) -> dict[str, str]:
        """The values under the names by which the hooks find them."""
        return {path: values[key] for key, path in self.items if key in values} if self.items else values


class Given(NamedTuple):
    """What the settings are made of; `excused` are keys whose values cannot be seen, `where` names the objects."""

    config: Mapping[str, str]
    secret: Mapping[str, str]
    environ: Mapping[str, str]
    excused: frozenset[str]
    where: str

    def value(self, key: str) -> str:
        """As the hooks would read it, empty where it is not set."""
        variable = f"ARUBA_{key.upper().replace('-', '_')}"
        return (self.config.get(key) or self.secret.get(key) or self.environ.get(variable) or "").strip()


async def given(cluster: Cluster, namespace: str, workload: Workload | None) -> tuple[Given | None, list[Finding]]:
    """All that can be seen of the settings, None where nothing can."""
    environ, hidden = _environment(workload)
    mounted = tuple(dict.fromkeys(_mounted(workload)))
    data: dict[str, dict[str, str]] = {"ConfigMap": {}, "Secret": {}}
    seen, findings, blind = [], [], False
    for source in mounted or tuple(Source(kind, name) for name in UPSTREAM for kind in data):
        raw = await cluster.get(f"/api/v1/namespaces/{namespace}/{source.kind.lower()}s/{source.name}")
        told = f"{source.kind} {namespace}/{source.name}"
        if isinstance(raw, dict):
            data[source.kind] |= source.taken(_decoded(raw))
            seen.append(told)
        elif isinstance(raw, Trouble):
            findings.append(unseen(told, raw))
            blind = blind or source.kind == "Secret"
        elif mounted:
            findings.append(fail(f"{told} is missing, and {workload} uses it", "create it"))
    if not seen and not environ:
        nothing = warn(
            f"no ConfigMap or Secret {' or '.join(UPSTREAM)} in {namespace}", "if they are elsewhere, say --namespace"
        )
        return None, findings or [nothing]
    excused = {_key(name) for name in hidden} | ({"client-id", "client-secret"} if blind else set())
    where = ", ".join(seen) or str(workload)
    return Given(data["ConfigMap"], data["Secret"], environ, frozenset(excused), where), findings


def _key(variable: str) -> str:
    return variable.removeprefix("ARUBA_").lower().replace("_", "-")


def _decoded(raw: Mapping[str, Any]) -> dict[str, str]:
    """A ConfigMap's keys as they are, a Secret's decoded; certificates are no settings."""
    data = raw.get("data") or {}
    if raw.get("kind") != "Secret":
        return {str(key): str(value) for key, value in data.items()}
    if raw.get("type") == "kubernetes.io/tls":
        return {}
    return {str(key): _plain(str(value)) for key, value in data.items()}


def _plain(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except binascii.Error:
        return ""


def _mounted(workload: Workload | None) -> Iterator[Source]:
    """What the pods mount, or take their variables from."""
    for volume in _list(workload, "volumes"):
        for part in (volume, *(at(volume, "projected", "sources") or ())):
            yield from _named(part)
    for container in workload.containers if workload is not None else ():
        for part in container.get("envFrom") or ():
            yield from _named(part)


def _named(part: Any) -> Iterator[Source]:
    for kind, *steps in _PLACES:
        if at(part, *steps):
            items = at(part, steps[0], "items") or ()
            yield Source(kind, str(at(part, *steps)), tuple((str(at(i, "key")), str(at(i, "path"))) for i in items))


def _environment(workload: Workload | None) -> tuple[dict[str, str], frozenset[str]]:
    """Variables with their values, and the names of those whose values come from elsewhere."""
    said: Iterable[Any] = workload.containers if workload is not None else ()
    found = [entry for container in said for entry in container.get("env") or () if isinstance(entry, dict)]
    named = {str(entry.get("name")): entry for entry in found}
    ours = {name: entry for name, entry in named.items() if name.startswith("ARUBA_")}
    plain = {name: str(entry["value"]) for name, entry in ours.items() if entry.get("value") is not None}
    return plain, frozenset(ours.keys() - plain.keys())


def _list(workload: Workload | None, member: str) -> list[Any]:
    found = at(workload.raw, "spec", "template", "spec", member) if workload is not None else None
    return found if isinstance(found, list) else []
