"""The demo's objects under a real Metacontroller instead of our small one, which has to behave alike.

METACONTROLLER names its binary, METACONTROLLER_CRDS the manifest of its own definitions, both of one release.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import hooks.cli.demo
from tests.local.real_metacontroller import LISTING_AGE, Trial, pause

BINARY, DEFINITIONS = os.environ.get("METACONTROLLER", ""), os.environ.get("METACONTROLLER_CRDS", "")
SHOP = str(Path(hooks.cli.demo.__file__).parent / "shop.yaml")
FINALIZER = "metacontroller.io/compositecontroller-{}s.arubacloud.com"

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (BINARY and DEFINITIONS),
        reason="needs a real Metacontroller: METACONTROLLER=its binary METACONTROLLER_CRDS=the manifest of its CRDs",
    ),
]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """With everything of the demo up. The tests below tell one story, in order."""
    made = Trial(tmp_path_factory.mktemp("real"), BINARY)
    try:
        made.install(DEFINITIONS)
        made.start()
        try:
            made.local.kubectl("apply", "-f", SHOP)
            made.local.kubectl("wait", "--for=condition=Ready", "--timeout=90s", "-f", SHOP)
            yield made
        finally:
            made.stop()
    finally:
        assert made.local.stop() == 0


def test_every_object_is_active_under_its_own_controller_and_exists_once(trial: Trial) -> None:
    objects = trial.objects()
    for item in objects.values():
        assert item["metadata"]["finalizers"] == [FINALIZER.format(item["kind"].lower())]
        assert item["status"]["observedGeneration"] == item["metadata"]["generation"] == 1
    ids = {item["status"]["resourceID"] for item in objects.values()}
    assert {found["id"] for found in trial.cloud()} == ids
    assert len(ids) == len(objects) == 11
    assert trial.complaints() == []


def test_statuses_do_not_move_at_rest(trial: Trial) -> None:
    still, calls = trial.settled(), trial.hook_calls()
    pause(5 * LISTING_AGE)
    assert trial.versions() == still
    assert trial.hook_calls()["sync", "ok"] >= calls["sync", "ok"] + 4 * len(still)


def test_a_new_metacontroller_finds_nothing_to_do(trial: Trial) -> None:
    still, writes, calls = trial.settled(), trial.cloud_writes(), trial.hook_calls()
    assert trial.stop() == 0
    trial.start()
    while trial.hook_calls()["customize", "ok"] < calls["customize", "ok"] + len(still):
        pause(0.2)  # a new process asks for every object's rules again
    assert trial.settled() == still
    assert trial.cloud_writes() == writes


def test_a_deleted_project_takes_everything_with_it_in_order(trial: Trial) -> None:
    trial.local.kubectl("delete", "project", "shop", "--timeout=90s")
    assert trial.objects() == {}
    resources = trial.cloud()
    assert len(resources) == 11
    died = sorted(resources, key=lambda found: found["deletedAt"])
    assert died[0]["kind"] == "CloudServer"
    assert [found["kind"] for found in died][-2:] == ["VPC", "Project"]
    assert trial.complaints() == []
    assert {outcome for _, outcome in trial.hook_calls()} <= {"ok", "busy"}
