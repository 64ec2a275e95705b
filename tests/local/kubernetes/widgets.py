"""A toy kind with one of everything a CRD can ask for, and a client that speaks to an API holding it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from hooks.clock import seeded
from hooks.http import AsyncClient, Response
from hooks.local.kubernetes import KubernetesApi
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

GROUP = "toys.example.com"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/default/widgets"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = {"content-type": "application/merge-patch+json"}

SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["region"],
    "properties": {
        "region": {
            "type": "string",
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "region cannot change"}],
        },
        "sizeGB": {"type": "integer", "minimum": 1, "default": 10},
        "protocol": {"type": "string", "enum": ["TCP", "UDP"]},
        "code": {"type": "string", "maxLength": 5, "minLength": 2, "pattern": "^[a-z]*$"},
        "when": {"type": "string", "format": "date-time"},
        "note": {"type": "string", "nullable": True},
        "hint": {"type": "string", "nullable": True, "default": "none"},
        "share": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1},
        "port": {"x-kubernetes-int-or-string": True},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "x-kubernetes-list-type": "set"},
        "nested": {
            "type": "object",
            "properties": {"mode": {"type": "string", "default": "auto"}, "deep": {"type": "boolean"}},
        },
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
            },
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
STATUS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "phase": {"type": "string"},
        "resourceID": {"type": "string"},
        "conditions": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "items": {
                "type": "object",
                "required": ["type", "status"],
                "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
            },
        },
    },
}
ROOT_RULE = {
    "rule": "!has(oldSelf.status) || !has(oldSelf.status.resourceID) || self.spec.sizeGB >= oldSelf.spec.sizeGB",
    "message": "a made widget only grows",
    "fieldPath": ".spec.sizeGB",
}
COLUMNS = [
    {"name": "Region", "type": "string", "jsonPath": ".spec.region"},
    {"name": "Size", "type": "integer", "jsonPath": ".spec.sizeGB"},
    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
    {"name": "Phase", "type": "string", "jsonPath": ".status.phase", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]


def crd(**schema: Any) -> dict[str, Any]:
    root = {"type": "object", "properties": {"spec": SPEC, "status": STATUS}, "x-kubernetes-validations": [ROOT_RULE]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": "Widget",
                "plural": "widgets",
                "singular": "widget",
                "shortNames": ["wd"],
                "categories": ["toys"],
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {**root, **schema}},
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": COLUMNS,
                }
            ],
        },
    }


def widget(name: str = "one", metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"region": "it", **spec},
    }


@asynccontextmanager
async def serving(history: int = 4096) -> AsyncIterator[AsyncClient]:
    """A client of a fresh API that serves widgets."""
    api = KubernetesApi(LoopClock(), seeded(7), history=history)
    async with AsyncClient(transport=Loopback({"k8s": api.app}), base_url="http://k8s", timeout=30) as client:
        made = await client.post(CRDS, json=crd())
        assert made.status_code == 201, made.text
        yield client
        await api.aclose()


async def make(client: AsyncClient, name: str = "one", metadata: dict[str, Any] | None = None, **spec: Any) -> Any:
    answer = await client.post(WIDGETS, json=widget(name, metadata, **spec))
    assert answer.status_code == 201, answer.text
    return answer.json()


async def merge(client: AsyncClient, path: str, change: Any, **params: str) -> Response:
    return await client.patch(path, content=json.dumps(change), headers=MERGE, params=params)


class Watcher:
    """Reads a watch line by line."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def next(self) -> Any:
        return json.loads(await anext(self._lines))


@asynccontextmanager
async def watching(client: AsyncClient, path: str = WIDGETS, **params: Any) -> AsyncIterator[Watcher]:
    async with client.stream("GET", path, params={"watch": "true", **params}) as answer:
        assert answer.status_code == 200
        yield Watcher(answer.aiter_lines())
