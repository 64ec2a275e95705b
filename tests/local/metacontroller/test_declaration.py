"""CompositeControllers: what the engine reads of them, and what it refuses rather than gets wrong (mc §1)."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from hooks.local.metacontroller import UnmodelledError
from hooks.local.metacontroller.declaration import Composite
from tests.local.metacontroller.world import composite


def with_webhook(**webhook):
    raw = composite(hooks=("sync",))
    raw["spec"]["hooks"]["sync"]["webhook"] = webhook
    return Composite.read(raw).webhooks["sync"]


@pytest.mark.parametrize(
    ("timeout", "seconds"),
    [("30s", 30), ("1m30s", 90), ("500ms", 0.5), ("0s", 10), (None, 10)],
)
def test_time_outs_are_go_durations(timeout, seconds):
    """mc §1.3: 10 s where none is given, or nothing."""
    more = {} if timeout is None else {"timeout": timeout}
    assert with_webhook(url="http://x", **more).timeout == seconds


def test_a_service_becomes_a_url():
    """mc §1.3: no `.svc`, port 80 whatever the protocol; `url` wins."""
    service = {"name": "op", "namespace": "sys"}
    assert with_webhook(service=service, path="/sync").url == "http://op.sys:80/sync"
    assert with_webhook(service=service | {"port": 8443, "protocol": "https"}, path="/s").url == "https://op.sys:8443/s"
    assert with_webhook(service=service, path="/sync", url="http://x/").url == "http://x/"


def test_names():
    """mc §3.7."""
    read = Composite.read(composite())
    assert read.finalizer == "metacontroller.io/compositecontroller-vpcs.net.example.com"
    assert read.definition == "vpcs.net.example.com"


def test_the_generated_controllers_are_all_taken():
    """What `hooks local` runs is what a cluster gets."""
    text = Path("metacontroller/compositecontrollers.yaml").read_text(encoding="utf-8")
    read = [Composite.read(raw) for raw in yaml.safe_load_all(text)]
    assert len(read) >= 9
    assert all(sorted(one.webhooks) == ["customize", "finalize", "sync"] for one in read)


def test_a_resync_is_at_least_a_second():
    """mc §1.1."""
    assert Composite.read(composite(resyncPeriodSeconds=0)).resync == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda spec: spec.update(childResources=[{"apiVersion": "v1", "resource": "secrets"}]), "childResources"),
        (lambda spec: spec.pop("generateSelector"), "generateSelector must be true"),
        (lambda spec: spec.update(endpointConfigs=[]), "spec.endpointConfigs"),
        (lambda spec: spec["parentResource"].update(ignoreStatusChanges=True), "parentResource.ignoreStatusChanges"),
        (lambda spec: spec["hooks"].pop("sync"), "hooks.sync is missing"),
        (lambda spec: spec["hooks"].update(postUpdateChild={}), "hooks.postUpdateChild"),
        (lambda spec: spec["hooks"]["sync"].update(version="v1"), "hooks.sync: this engine speaks version v2"),
        (lambda spec: spec["hooks"]["sync"].pop("version"), "version v2"),
        (lambda spec: spec["hooks"]["sync"]["webhook"].update(responseUnMarshallMode="loose"), "strict mode"),
        (lambda spec: spec["hooks"]["sync"]["webhook"].update(etag={"enabled": True}), "webhook.etag"),
        (lambda spec: spec["hooks"]["sync"]["webhook"].update(timeout="soon"), "timeout: 'soon'"),
        (lambda spec: spec["hooks"]["sync"].update(webhook={}), "either url, or both service and path"),
    ],
)
def test_what_is_refused(change, says):
    raw = copy.deepcopy(composite())
    change(raw["spec"])
    with pytest.raises(UnmodelledError, match=r"vpcs.net.example.com: .*" + says):
        Composite.read(raw)
