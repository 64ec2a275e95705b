"""The simulator on a real socket: the command, its ready file, cut connections, a clean stop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hooks.http import AsyncClient, TransportError

COMMAND = """
import argparse, sys
from hooks.cli import simulator
parser = argparse.ArgumentParser()
simulator.add_arguments(parser)
sys.exit(simulator.run(parser.parse_args()))
"""


@asynccontextmanager
async def running(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", COMMAND, *arguments, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def ready(process: asyncio.subprocess.Process) -> None:
    """Wait for the line that says so; the ready file is there by then."""
    assert process.stderr is not None
    async with asyncio.timeout(20):
        while b"answers at" not in await process.stderr.readline():
            assert process.returncode is None


def read(file: Path) -> dict[str, Any]:
    assert list(file.parent.iterdir()) == [file], "no draft is left beside it"
    return dict(json.loads(file.read_text()))


@pytest.mark.real_time
async def test_the_command_serves_cuts_connections_and_stops(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    async with running("--port", "0", "--ready-file", str(file)) as process, AsyncClient() as client:
        await ready(process)
        urls = read(file)
        assert set(urls) == {"cloud", "token", "admin", "pid"}
        assert urls["pid"] == process.pid
        form = {"grant_type": "client_credentials", "client_id": "aruba-local", "client_secret": "aruba-local-secret"}
        token = (await client.post(urls["token"], data=form)).json()["access_token"]
        client.headers["authorization"] = f"Bearer {token}"
        for drop, left in (("before", 0), ("after", 1)):
            rule = {"match": {"method": "POST"}, "times": 1, "then": {"drop": drop}}
            await client.post(f"{urls['admin']}/faults", json=[rule])
            with pytest.raises(TransportError):
                await client.post(f"{urls['cloud']}/projects", json={"metadata": {"name": "demo"}})
            assert (await client.get(f"{urls['cloud']}/projects")).json()["total"] == left
        os.kill(process.pid, signal.SIGTERM)
        async with asyncio.timeout(5):
            _, log = await process.communicate()
        assert process.returncode == 0
        lines = [json.loads(line) for line in log.decode().splitlines()]
        assert {line["level"] for line in lines} == {"info"}, "a cut connection is no failure of ours"
        assert "Shutting down" in [line["message"] for line in lines]


@pytest.mark.real_time
async def test_unusable_timings_are_named(tmp_path: Path) -> None:
    async with running("--timings", str(tmp_path / "none.yaml")) as process:
        _, log = await process.communicate()
    assert process.returncode == 2
    assert b"none.yaml" in log
