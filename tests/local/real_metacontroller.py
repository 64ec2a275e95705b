"""A real Metacontroller at work for `hooks local`, and what can be asked of the two: for test_real_metacontroller."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from hooks.clock import SystemClock
from tests.local.command import Local

FLAGS = (
    "--metrics-address=0",
    "--health-probe-bind-address=0",
    "--discovery-interval=1s",
    "--client-go-qps=200",
    "--client-go-burst=400",
)
LISTING_AGE = 4
"""Seconds between looks at an object at rest, so that a trial sees many of them."""
HOOK_CALLS = re.compile(r"^aruba_hook_duration_seconds_count\{(.*)\} (\S+)$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="([^"]*)"')
EVERYDAY = re.compile(r"can't remove finalizer for .* not found|context canceled")
"""What no webhook can prevent: a finalize more, when the cache still shows an object that was just let go, and a
call that the end of Metacontroller itself cuts off.
"""


def pause(seconds: float) -> None:
    asyncio.run(SystemClock().sleep(seconds))


class Trial:
    """Local mode without its small Metacontroller, and the real one once it is started."""

    def __init__(self, folder: Path, binary: str) -> None:
        self.local = Local(folder, "--metacontroller", "external", ARUBA_LISTING_AGE=f"{LISTING_AGE}s")
        self._binary = binary
        self._log = folder / "metacontroller.log"

    def install(self, definitions: str) -> None:
        """Metacontroller's own CRDs; local mode then applies the CompositeControllers."""
        self.local.kubectl("apply", "-f", definitions)
        self.local.kubectl("wait", "--for=create", "compositecontroller/vpcs.arubacloud.com", "--timeout=30s")

    def start(self) -> None:
        command = [self._binary, f"--kubeconfig={self.local.endpoints['kubeconfig']}", *FLAGS]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def stop(self) -> int:
        self._process.terminate()
        return self._process.wait(timeout=20)

    def complaints(self) -> list[str]:
        """What Metacontroller logged beyond its everyday news, and the failed passes that it told the objects of."""
        logged = [line for line in self._log.read_text().splitlines() if json.loads(line)["level"] != "info"]
        events = json.loads(self.local.kubectl("get", "events", "-A", "-o", "json"))["items"]
        told = [event["message"] for event in events if event["reason"] == "SyncError"]
        return [complaint for complaint in logged + told if not EVERYDAY.search(complaint)]

    def objects(self) -> dict[str, dict[str, Any]]:
        items = json.loads(self.local.kubectl("get", "aruba", "-o", "json"))["items"]
        return {f"{item['kind']}/{item['metadata']['name']}": item for item in items}

    def versions(self) -> dict[str, str]:
        return {name: item["metadata"]["resourceVersion"] for name, item in self.objects().items()}

    def settled(self) -> dict[str, str]:
        """The objects' versions, once all of them have been looked at again without a change."""
        before, after = {}, self.versions()
        while before != after:
            pause(2 * LISTING_AGE)
            before, after = after, self.versions()
        return after

    def hook_calls(self) -> Counter[tuple[str, str]]:
        """Answered calls by hook and outcome."""
        calls: Counter[tuple[str, str]] = Counter()
        for labels, count in HOOK_CALLS.findall(self.local.get("metrics").text):
            named = dict(LABEL.findall(labels))
            calls[named["hook"], named["outcome"]] += int(float(count))
        return calls

    def cloud(self) -> list[dict[str, Any]]:
        """All resources that ever were, the dead with `deletedAt`."""
        found: list[dict[str, Any]] = self.local.get("admin", "/state", all="1").json()["resources"]
        return found

    def cloud_writes(self) -> list[tuple[str, str]]:
        calls = self.local.get("admin", "/calls").json()
        written = [(call["method"], call["path"]) for call in calls if call["method"] != "GET"]
        return [(method, path) for method, path in written if "openid-connect" not in path]
