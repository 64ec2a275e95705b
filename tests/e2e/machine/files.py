"""A Pod's volumes as folders, kept as a kubelet keeps them: written aside, put in place at once, looked at again.

ConfigMap, Secret and what is projected of them change while the Pod runs; a missing one holds the Pod up.
"""

from __future__ import annotations

import base64
import shutil
from pathlib import Path
from typing import Any

from hooks.http import AsyncClient

Object = dict[str, Any]
PATHS = {"configMap": "configmaps", "secret": "secrets"}


class Missing(Exception):
    """The text names what the volume is made of and is not there."""


async def contents(kube: AsyncClient, namespace: str, volume: Object) -> dict[str, bytes] | None:
    """File name to bytes; None for a volume that is merely an empty folder. Raises Missing."""
    if "projected" in volume:
        made: dict[str, bytes] = {}
        for source in volume["projected"]["sources"]:
            for kind in PATHS:
                if kind in source:
                    made |= await _of(kube, namespace, kind, source[kind]["name"], source[kind])
        return made
    for kind, name in (("configMap", "name"), ("secret", "secretName")):
        if kind in volume:
            return await _of(kube, namespace, kind, volume[kind][name], volume[kind])
    return None


async def _of(kube: AsyncClient, namespace: str, kind: str, name: str, said: Object) -> dict[str, bytes]:
    answer = await kube.get(f"/api/v1/namespaces/{namespace}/{PATHS[kind]}/{name}")
    if answer.status_code == 404:
        if said.get("optional"):
            return {}
        raise Missing(f'MountVolume.SetUp failed: {kind.lower()} "{name}" not found')
    found = answer.json()
    data = {key: text.encode() for key, text in (found.get("data") or {}).items()}
    if kind == "secret":
        data = {key: base64.b64decode(text) for key, text in data.items()}
    if not said.get("items"):
        return data
    wrong = [item["key"] for item in said["items"] if item["key"] not in data]
    if wrong and not said.get("optional"):
        raise Missing(f"references non-existent {kind.lower()} key: {wrong[0]}")
    return {item["path"]: data[item["key"]] for item in said["items"] if item["key"] in data}


def place(folder: Path, files: dict[str, bytes]) -> None:
    """Put these files there all at once, by links into a folder that one rename exchanges; nothing where all is so."""
    data = folder / "..data"
    kept = {file.name: file.read_bytes() for file in data.iterdir()} if data.exists() else None
    if kept == files:
        return
    folder.mkdir(parents=True, exist_ok=True)
    before = data.resolve() if kept is not None else None
    number = int(before.name.removeprefix("..")) + 1 if before else 0
    fresh = folder / f"..{number}"
    fresh.mkdir()
    for name, content in files.items():
        (fresh / name).write_bytes(content)
    (folder / "..new").symlink_to(fresh.name)
    (folder / "..new").replace(data)
    for name in files:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(Path("..data") / name)
    if before is not None:
        for name in set(kept or ()) - set(files):
            (folder / name).unlink()
        shutil.rmtree(before)
