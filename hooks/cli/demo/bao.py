"""A real OpenBao for the demo: a development server on loopback, a secret for each tenant, a role that reads them.

The same steps, as commands for a Vault of one's own, are in docs/how-to/vault.md.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hooks.cli.demo.world import DemoFailed, stopped
from hooks.clock import Clock, Random
from hooks.http import AsyncClient, HTTPError

PREFIX = "aruba"
POLICY = f'path "kv/data/{PREFIX}/*" {{ capabilities = ["read"] }}'
START_WITHIN = 20.0
Pairs = Mapping[str, tuple[str, str]]
"""Tenant to client id and secret."""


@asynccontextmanager
async def vault(folder: Path, pairs: Pairs, clock: Clock, chance: Random) -> AsyncIterator[dict[str, str]]:
    """The server while the block runs; yields the settings by which the hooks reach it."""
    address, root = f"127.0.0.1:{_free_port()}", f"root-{chance.getrandbits(128):032x}"
    words = ["server", "-dev", f"-dev-listen-address={address}", f"-dev-root-token-id={root}", "-dev-no-store-token"]
    with (folder / "bao.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            _binary(), *words, stdout=log, stderr=log, env={"HOME": str(folder)}
        )
    try:
        async with AsyncClient(base_url=f"http://{address}/v1/", headers={"X-Vault-Token": root}, timeout=10) as http:
            await _answering(http, process, clock)
            yield {"ARUBA_VAULT_ADDRESS": f"http://{address}", **await _furnished(http, pairs)}
    finally:
        await stopped(process)


def _binary() -> str:
    beside = Path(sys.executable).parent / "bao"
    found = str(beside) if beside.exists() else shutil.which("bao")
    if found is None:
        raise DemoFailed("OpenBao is missing: run `make demo TENANTS=vault`, or install the `vault` group")
    return found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


async def _answering(http: AsyncClient, process: asyncio.subprocess.Process, clock: Clock) -> None:
    deadline = clock.monotonic() + START_WITHIN
    while True:
        try:
            if (await http.get("sys/health")).status_code == 200:
                return
        except HTTPError:
            pass  # not yet
        if process.returncode is not None or clock.monotonic() > deadline:
            raise DemoFailed("OpenBao did not come up")
        await clock.sleep(0.1)


async def _furnished(http: AsyncClient, pairs: Pairs) -> dict[str, str]:
    """An engine, a secret a tenant, a policy that reads them and nothing else, and a role with that policy."""
    await _told(http, "sys/mounts/kv", {"type": "kv", "options": {"version": "2"}})
    for tenant, (client, secret) in pairs.items():
        await _told(http, f"kv/data/{PREFIX}/{tenant}", {"data": {"client-id": client, "client-secret": secret}})
    await _told(http, "sys/policies/acl/aruba", {"policy": POLICY})
    await _told(http, "sys/auth/approle", {"type": "approle"})
    role = "auth/approle/role/aruba"
    await _told(http, role, {"token_policies": ["aruba"], "token_ttl": "20m", "token_max_ttl": "1h"})
    role_id = (await http.get(f"{role}/role-id")).json()["data"]["role_id"]
    secret_id = (await _told(http, f"{role}/secret-id", {}))["data"]["secret_id"]
    return {
        "ARUBA_VAULT_ENABLED": "true",
        "ARUBA_KV_PREFIX": PREFIX,
        "ARUBA_ROLE_ID": role_id,
        "ARUBA_ROLE_SECRET": secret_id,
    }


async def _told(http: AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await http.post(path, json=body)
    if answer.status_code not in (200, 204):
        raise DemoFailed(f"OpenBao refused {path}: {answer.text}")
    return dict(answer.json()) if answer.content else {}
