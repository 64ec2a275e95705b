"""The demo of two tenants: one operator, a pair for each from a real OpenBao, and neither sees what the other has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hooks.cli.demo.bao import vault
from hooks.cli.demo.story import MANIFESTS, all_active, nothing, until
from hooks.cli.demo.view import View
from hooks.cli.demo.world import DemoFailed, Endpoints, Kubectl, Object, local_stack
from hooks.clock import Clock, Random, seeded
from hooks.http import AsyncClient

TENANTS = {"team-blue": "t-100", "team-green": "t-200"}
"""Namespace to the one tenant that it may name."""
CLIENTS = {"t-100": "client-blue", "t-200": "client-green"}
INTRUDER, GRASP = "blue-under-green", "green-of-blue"


class Call(NamedTuple):
    """One call to the cloud, by whose key it was made, in which project, and what came of it."""

    client: str
    project: str
    method: str
    status: int


async def play(folder: Path, timings: str, seed: int, clock: Clock, chance: Random) -> int:
    """Returns 0; raises `DemoFailed` at the first thing that does not hold."""
    view = View(clock)
    pairs = {tenant: (client, f"secret-{chance.getrandbits(64):016x}") for tenant, client in CLIENTS.items()}
    view.say("Starting a real OpenBao with a secret for each of two tenants, and a role that may read them")
    async with vault(folder, pairs, clock, chance) as found:
        view.say(f"Starting the local stack in Vault mode (seed {seed}); no API key is in its settings")
        environ = {**found, "ARUBA_TENANT_POLICY": "namespace"}
        async with local_stack(folder, timings, seed, clock, environ) as endpoints:
            await _known(endpoints, dict(pairs.values()))
            await _story(folder, view, Kubectl(endpoints.kubeconfig), endpoints, clock, seed)
    view.say("demo: everything held: neither tenant can see the other; nothing is left running")
    return 0


async def _known(endpoints: Endpoints, clients: dict[str, str]) -> None:
    """The simulated cloud takes the two API keys; each is an account of its own."""
    async with AsyncClient(timeout=30) as http:
        await http.post(f"{endpoints.admin}/tokens", json={"clients": clients})


async def _story(folder: Path, view: View, kubectl: Kubectl, endpoints: Endpoints, clock: Clock, seed: int) -> None:
    view.say("kubectl apply: the same shop in two namespaces, each for its own tenant")
    began = clock.monotonic()
    documents = [*_namespaces(), *shops(seed)]
    await kubectl("apply", "-f", _written(folder / "shops.yaml", documents))
    shown = await until(view, kubectl, clock, all_active(len(documents) - 2), began, "not everything became Active")
    view.ids(shown)
    owners = {_project(shown, space): CLIENTS[tenant] for space, tenant in TENANTS.items()}

    view.say("What each key was used for, by the cloud's own books")
    _apart(view, await _calls(endpoints), owners)
    view.say("team-green names the tenant of team-blue")
    await kubectl("apply", "-f", _written(folder / "intruder.yaml", [_intruder()]))
    view.quote(await _refused(kubectl, clock, INTRUDER, "TenantNotAllowed"))
    view.say("team-green wants to adopt what team-blue has, by its ID")
    theirs = _project(shown, "team-blue")
    await kubectl("apply", "-f", _written(folder / "grasp.yaml", [_grasp(theirs)]))
    view.quote(await _refused(kubectl, clock, GRASP, "Forbidden"))
    _apart(view, await _calls(endpoints), owners)

    view.say("kubectl delete: everything goes")
    began = clock.monotonic()
    for space, tenant in TENANTS.items():
        await kubectl("delete", "project", "--all", "-n", space, "--wait=false")
        view.quote(f"{space} ({tenant}): deleting")
    await until(view, kubectl, clock, nothing(endpoints), began, "not everything went")
    _apart(view, await _calls(endpoints), owners)


def shops(seed: int) -> list[Object]:
    """The shop of the plain demo, once in each namespace, in an order that follows from the seed."""
    found = [_moved(item, space, tenant) for space, tenant in TENANTS.items() for item in _shop()]
    seeded(seed).shuffle(found)
    return found


def _shop() -> Iterator[Object]:
    return iter(yaml.safe_load_all(MANIFESTS.read_text()))


def _moved(item: Any, space: str, tenant: str) -> Any:
    """The same with another namespace and tenant, wherever it names one."""
    if isinstance(item, list):
        return [_moved(one, space, tenant) for one in item]
    if not isinstance(item, dict):
        return item
    named = {"namespace": space, "tenant": tenant}
    return {key: named[key] if key in named else _moved(value, space, tenant) for key, value in item.items()}


def _namespaces() -> list[Object]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": space, "annotations": {"arubacloud.com/tenants": tenant}},
        }
        for space, tenant in TENANTS.items()
    ]


def _made(name: str, tenant: str, annotations: dict[str, str]) -> Object:
    meta = {"name": name, "namespace": "team-green", "annotations": annotations}
    return {"apiVersion": "arubacloud.com/v1alpha1", "kind": "Project", "metadata": meta, "spec": {"tenant": tenant}}


def _intruder() -> Object:
    return _made(INTRUDER, TENANTS["team-blue"], {})


def _grasp(project: str) -> Object:
    return _made(GRASP, TENANTS["team-green"], {"arubacloud.com/resource-id": project})


def _written(file: Path, documents: list[Object]) -> str:
    file.write_text(yaml.safe_dump_all(documents, sort_keys=False))
    return str(file)


def _project(objects: list[Object], space: str) -> str:
    found = (o for o in objects if o["kind"] == "Project" and o["metadata"]["namespace"] == space)
    return str(next(found)["status"]["resourceID"])


async def _refused(kubectl: Kubectl, clock: Clock, name: str, reason: str) -> str:
    """What the object says once it is refused for this reason."""
    for _ in range(100):
        status = await _status(kubectl, name)
        ready: Object = next((c for c in status.get("conditions", ()) if c["type"] == "Ready"), {})
        if ready.get("reason") == reason:
            return f"Project team-green/{name}: {status['phase']} ({reason}): {status['message']}"
        await clock.sleep(0.2)
    told = (await _status(kubectl, name)).get("message")
    raise DemoFailed(f"Project team-green/{name} was not refused as {reason}; it says: {told}")


async def _status(kubectl: Kubectl, name: str) -> Object:
    found = (o for o in await kubectl.objects() if o["metadata"]["name"] == name)
    return dict(next(found, {}).get("status") or {})


async def _calls(endpoints: Endpoints) -> list[Call]:
    async with AsyncClient(timeout=30) as http:
        rows = (await http.get(f"{endpoints.admin}/calls")).json()
    found = [row for row in rows if "/openid-connect/" not in row["path"]]
    return [Call(str(row["clientId"]), _inside(row["path"]), row["method"], row["status"] or 0) for row in found]


def _inside(path: str) -> str:
    parts = path.split("/")
    return parts[2] if len(parts) > 2 and parts[1] == "projects" else ""


def _apart(view: View, calls: list[Call], owners: dict[str, str]) -> None:
    """Every call into a project was made with the key of its owner; a look with another was refused by the cloud."""
    for project, client in owners.items():
        inside = [call for call in calls if call.project == project]
        foreign = [call for call in inside if call.client != client]
        told = f"project {project}: {len(inside) - len(foreign)} calls with the key of {client}, its own"
        view.quote(f"{told}; {len(foreign)} looks with another key, all refused" if foreign else told)
        if any(call.method != "GET" or call.status not in (403, 404) for call in foreign):
            raise DemoFailed(f"project {project} of {client} was touched with another key: {foreign[:5]}")
