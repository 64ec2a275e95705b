"""The demo's objects under a real Metacontroller instead of our small one: the oracle of hooks/local/metacontroller.

METACONTROLLER names its binary, METACONTROLLER_CRDS the manifest of its own definitions, as its release has them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import hooks.cli.demo
from tests.local.command import Local

BINARY, DEFINITIONS = os.environ.get("METACONTROLLER", ""), os.environ.get("METACONTROLLER_CRDS", "")
SHOP = Path(hooks.cli.demo.__file__).parent / "shop.yaml"
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
FINALIZER = "metacontroller.io/compositecontroller-{}.arubacloud.com"

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BINARY and DEFINITIONS),
        reason="needs a real Metacontroller: METACONTROLLER=its binary METACONTROLLER_CRDS=its CRDs' manifest",
    ),
]


class Trial:
    """Local mode, and the real Metacontroller that works for it."""

    def __init__(self, folder: Path) -> None:
        self.local = Local(folder, "--metacontroller", "external", ARUBA_LISTING_AGE=f"{LISTING_AGE}s")
        self._log = folder / "metacontroller.log"

    def install(self) -> None:
        self.local.kubectl("apply", "-f", DEFINITIONS)
        self.local.kubectl("wait", "--for=create", "compositecontroller/vpcs.arubacloud.com", "--timeout=30s")

    def start(self) -> None:
        command = [BINARY, f"--kubeconfig={self.local.endpoints['kubeconfig']}", *FLAGS]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def stop(self) -> int:
        self._process.terminate()
        return self._process.wait(timeout=20)

    def complaints(self) -> list[str]:
        """What Metacontroller logged that is not everyday news."""
        return [line for line in self._log.read_text().splitlines() if json.loads(line)["level"] != "info"]

    def objects(self) -> dict[str, dict[str, Any]]:
        items = json.loads(self.local.kubectl("get", "aruba", "-o", "json"))["items"]
        return {f"{item['kind']}/{item['metadata']['name']}": item for item in items}

    def versions(self) -> dict[str, str]:
        return {name: item["metadata"]["resourceVersion"] for name, item in self.objects().items()}

    def at_rest(self) -> dict[str, str]:
        """The objects' versions, once all of them have been looked at again without a change."""
        before, after = {}, self.versions()
        while before != after:
            before, after = after, self._later(2 * LISTING_AGE)
        return after

    def _later(self, seconds: float) -> dict[str, str]:
        time.sleep(seconds)
        return self.versions()

    def hook_calls(self) -> Counter[tuple[str, str]]:
        """Answered calls by hook and outcome."""
        calls: Counter[tuple[str, str]] = Counter()
        for labels, count in HOOK_CALLS.findall(httpx2.get(self.local.endpoints["metrics"]).text):
            named = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            calls[named["hook"], named["outcome"]] += int(float(count))
        return calls

    def cloud(self) -> list[dict[str, Any]]:
        answer = httpx2.get(self.local.endpoints["admin"] + "/state", params={"all": "1"})
        found: list[dict[str, Any]] = answer.json()["resources"]
        return found

    def cloud_writes(self) -> list[str]:
        calls = httpx2.get(self.local.endpoints["admin"] + "/calls").json()
        return [call["path"] for call in calls if call["method"] != "GET" and "openid-connect" not in call["path"]]

    def sync_errors(self) -> list[str]:
        events = json.loads(self.local.kubectl("get", "events", "-A", "-o", "json"))["items"]
        return [event["message"] for event in events if event["reason"] == "SyncError"]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    made = Trial(tmp_path_factory.mktemp("real"))
    try:
        made.install()
        made.start()
        yield made
        assert made.stop() == 0
    finally:
        assert made.local.stop() == 0


def test_the_demo_lives_rests_survives_a_restart_and_dies(trial: Trial) -> None:
    trial.local.kubectl("apply", "-f", str(SHOP))
    trial.local.kubectl("wait", "--for=condition=Ready", "--timeout=90s", "-f", str(SHOP))
    for item in trial.objects().values():
        plural = item["kind"].lower() + "s"
        assert item["metadata"]["finalizers"] == [FINALIZER.format(plural)]
        assert item["status"]["observedGeneration"] == item["metadata"]["generation"] == 1

    still, calls = trial.at_rest(), trial.hook_calls()
    time.sleep(5 * LISTING_AGE)
    assert trial.versions() == still
    assert trial.hook_calls()["sync", "ok"] >= calls["sync", "ok"] + 4 * len(still)

    writes, calls = trial.cloud_writes(), trial.hook_calls()
    assert trial.stop() == 0
    trial.start()
    while trial.hook_calls()["customize", "ok"] < calls["customize", "ok"] + len(still):
        time.sleep(0.2)  # a new process asks for every object's rules again
    assert trial.at_rest() == still
    assert trial.cloud_writes() == writes

    trial.local.kubectl("delete", "project", "shop", "--timeout=90s")
    assert trial.objects() == {}
    resources = trial.cloud()
    assert len({(found["kind"], found["name"]) for found in resources}) == len(resources) == len(still) == 11
    assert all(found["deletedAt"] for found in resources)

    assert trial.sync_errors() == []
    assert trial.complaints() == []
    assert {outcome for _, outcome in trial.hook_calls()} == {"ok", "busy"}
