"""What the hooks say of themselves at `/readyz`, and of those that they depend on."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn
from hooks.http import AsyncClient, HTTPError, InvalidURL, Response
from hooks.kube.answers import body, trouble
from hooks.meta.outcomes import Trouble


async def reach(direct: AsyncClient, url: str) -> Response | Trouble:
    """Ask a URL that is no part of the cluster's API."""
    try:
        return await direct.get(url)
    except (HTTPError, InvalidURL, OSError, ValueError) as fault:
        return Trouble(f"no answer from {url} ({type(fault).__name__}{f': {fault}' if str(fault) else ''})")


def readiness(who: str, answer: Response | Trouble, fix: str) -> tuple[list[Finding], dict[str, str]]:
    if isinstance(answer, Trouble):
        return [fail(f"hooks at {who} do not answer: {answer.text}", fix)], {}
    story = body(answer)
    if "ready" not in story:
        return [_proxy_said(who, answer, fix)], {}
    peers = {name: view for name, view in (story.get("peers") or {}).items() if isinstance(view, dict)}
    reasons = ", ".join(map(str, story.get("reasons") or ()))
    ready = ok(f"hooks at {who} are ready") if story["ready"] else fail(f"hooks at {who} are not ready: {reasons}", fix)
    notes = [warn(f"hooks at {who}: {note}", "mend the settings") for note in story.get("notes") or ()]
    told = [_peer(name, view) for name, view in peers.items()]
    return [ready, *notes, *told], {name: str(view.get("state")) for name, view in peers.items()}


def _proxy_said(who: str, answer: Response, fix: str) -> Finding:
    """Not the hooks but somebody before them: the API server's proxy, or another program at that address."""
    if answer.status_code in (401, 403):
        return unseen(f"hooks at {who}", trouble(answer))
    said = (
        trouble(answer).text if body(answer) else f"{answer.status_code} came from a program that is not this operator"
    )
    return fail(f"hooks at {who} do not answer: {said}", fix)


_MEND = MappingProxyType(
    {
        "kubernetes": "see the hooks' log; is the ClusterRole of metacontroller/ applied?",
        "cloud": "check api-gateway and that the pods may reach it (egress, proxy, DNS)",
        "vault": "check vault-address, the role and its secret, and that the pods may reach it (docs/how-to/vault.md)",
        "token endpoint": "check keycloak-url, realm-api, client-id and client-secret, and that the pods may reach it",
    }
)


def _peer(name: str, view: dict[str, Any]) -> Finding:
    state, detail = str(view.get("state")), str(view.get("detail") or "")
    if state == "ok":
        return ok(f"the hooks reach: {name}, last seen {view.get('age')} s ago")
    if state == "unknown":
        return warn(f"the hooks have not called yet: {name}", "the first object makes them")
    return fail(f"the hooks do not reach: {name}: {detail}, for {view.get('for')} s", _MEND.get(name, "see their log"))
