"""Our small Metacontroller as the process of a Pod: it takes the CompositeControllers that the API server has.

It knows the hooks as they say: by token, authority and certificate from Secrets. A change begins it anew.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import copy
import json
import os
import ssl
import sys
import tempfile
from pathlib import Path
from typing import Any

from hooks.clock import SystemClock
from hooks.edge import Health, Server, waiting_app
from hooks.http import AsyncClient
from hooks.kube import connect
from hooks.local.metacontroller import Metacontroller

Object = dict[str, Any]
CONTROLLERS = "/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers"
TRUST = ("authorization", "caBundle", "clientTLS")


async def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--health-probe-bind-address", required=True)
    args = parser.parse_args(words)
    host, _, port = args.health_probe_bind_address.rpartition(":")
    async with connect(args.kubeconfig) as kube:
        server = Server(waiting_app(Health(own=tuple)), host, int(port))
        await server.start()
        before: object = None
        engine: asyncio.Task[None] | None = None
        while True:
            found = await declared(kube)
            said = json.dumps([[item["metadata"]["name"], item["spec"]] for item in found], sort_keys=True)
            if said != before or (engine is not None and engine.done()):
                if engine is not None:
                    engine.cancel()
                    await asyncio.gather(engine, return_exceptions=True)
                before, engine = said, asyncio.ensure_future(run(kube, found)) if found else None
            await asyncio.sleep(0.5)


async def declared(kube: AsyncClient) -> list[Object]:
    answer = await kube.get(CONTROLLERS)
    return list(answer.json().get("items", ())) if answer.status_code == 200 else []


async def run(kube: AsyncClient, controllers: list[Object]) -> None:
    """Until cancelled, by the trust of the first controller: the chart gives all the same."""
    webhook = controllers[0]["spec"]["hooks"]["sync"]["webhook"]
    async with await caller(kube, webhook) as hooks:
        await Metacontroller([bare(item) for item in controllers], kube=kube, hooks=hooks, clock=SystemClock()).run()


async def caller(kube: AsyncClient, webhook: Object) -> AsyncClient:
    context = ssl.create_default_context(cadata=(webhook.get("caBundle") or {}).get("inline"))
    if client := webhook.get("clientTLS"):
        pair = await secret(kube, client["secretRef"])
        with tempfile.TemporaryDirectory() as folder:
            for name in ("tls.crt", "tls.key"):
                (Path(folder) / name).write_bytes(pair[name])
            context.load_cert_chain(Path(folder) / "tls.crt", Path(folder) / "tls.key")
    headers = {}
    if said := webhook.get("authorization"):
        token = (await secret(kube, said["secretRef"]))[said["secretRef"]["key"]]
        headers["Authorization"] = f"{said['type']} {token.decode()}"
    return AsyncClient(timeout=None, verify=context, headers=headers, proxy=os.environ.get("HTTP_PROXY"))


async def secret(kube: AsyncClient, ref: Object) -> dict[str, bytes]:
    answer = await kube.get(f"/api/v1/namespaces/{ref['namespace']}/secrets/{ref['name']}")
    return {key: base64.b64decode(text) for key, text in answer.json()["data"].items()}


def bare(item: Object) -> Object:
    """Without the trust, which the client carries."""
    made = copy.deepcopy(item)
    for hook in made["spec"]["hooks"].values():
        for name in TRUST:
            hook["webhook"].pop(name, None)
    return made


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
