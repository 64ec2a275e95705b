"""Are the settings complete, and does anybody answer at the addresses in them? They are read as the hooks read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hooks.cli.checks.finding import Finding, fail, ok, warn
from hooks.cli.checks.readiness import reach
from hooks.cli.checks.sources import Given, given
from hooks.cli.checks.workloads import Workload
from hooks.cli.cluster import Cluster
from hooks.http import AsyncClient
from hooks.meta.outcomes import Trouble
from hooks.settings import Settings

REQUIRED = ("api-gateway", "keycloak-url", "realm-api")
"""Keys that the Go operator does not start without; this one has defaults."""
_DEFAULTS = Settings()


async def config(
    cluster: Cluster, direct: AsyncClient, namespace: str, workload: Workload | None, peers: Mapping[str, str]
) -> list[Finding]:
    """Missing and bad keys by name, and addresses that do not answer; `peers` are as the hooks see them."""
    found, findings = await given(cluster, namespace, workload)
    if found is None:
        return findings
    return [*findings, *_complete(found), *await _answering(direct, found, peers)]


def _complete(found: Given) -> Iterator[Finding]:
    loaded = Settings.load(found.config, found.secret, found.environ)
    faults = [fault for fault in loaded.faults if fault.partition(":")[0] not in found.excused]
    yield from (fail(f"settings of {found.where}: {fault}", "mend it, then restart the hooks") for fault in faults)
    yield from (
        warn(f"settings of {found.where}: {text}", "remove it, or correct its name") for text in loaded.warnings
    )
    for key in REQUIRED:
        if not found.value(key) and key not in found.excused:
            what = f"settings of {found.where}: no {key}, so {_default(key)} is taken"
            yield warn(what, "set it, if that is not right; the Go operator would not start without it")
    if not faults:
        yield ok(f"settings: {found.where} have all that is needed")


async def _answering(direct: AsyncClient, found: Given, peers: Mapping[str, str]) -> list[Finding]:
    gateway, keycloak, realm = (found.value(key) or _default(key) for key in REQUIRED)
    issuer = f"{keycloak.rstrip('/')}/realms/{realm}/.well-known/openid-configuration"
    asked = [("keycloak-url", issuer, "token endpoint"), ("api-gateway", gateway, "cloud")]
    if found.value("vault-enabled") == "true" and found.value("vault-address"):
        asked.append(("vault-address", f"{found.value('vault-address').rstrip('/')}/v1/sys/health", "vault"))
    return [
        await _answers(direct, key, url, peers.get(peer, "")) for key, url, peer in asked if key not in found.excused
    ]


async def _answers(direct: AsyncClient, key: str, url: str, seen: str) -> Finding:
    """Any answer counts. What the hooks reach from inside may well be closed to whoever runs this."""
    answer = await reach(direct, url)
    if not isinstance(answer, Trouble):
        return ok(f"{key} answers: {answer.status_code} from {url}")
    if seen == "ok":
        return warn(f"{key}: {answer.text}, from here", "nothing to do: the hooks do reach it")
    return fail(f"{key} does not answer: {answer.text}", f"correct {key}, or open the way to it")


def _default(key: str) -> str:
    return str(getattr(_DEFAULTS, key.replace("-", "_")))
