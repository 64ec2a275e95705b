from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client import ProcessCollector

from hooks.telemetry.metrics import BOUND, Metrics


def value(metrics, name, **labels):
    return metrics.registry.get_sample_value(name, labels)


def test_names_and_labels_are_the_promised_ones():
    metrics = Metrics()
    metrics.hook("VPC", "sync", "ok", 0.2)
    metrics.cloud("GET", "vpcs", 200, 0.3)
    metrics.create("VPC", "made")
    metrics.credential("single", "ok")
    metrics.listing_age("vpcs", 42)
    metrics.kubernetes("PATCH", "vpcs", 200, 0.01)
    metrics.step("VPC", ("", ""), ("Creating", "ShallSynchronize"), True, 0.5)
    assert value(metrics, "aruba_hook_duration_seconds_sum", kind="VPC", hook="sync", outcome="ok") == 0.2
    assert value(metrics, "aruba_cloud_requests_total", method="GET", collection="vpcs", status="200") == 1
    assert value(metrics, "aruba_cloud_request_duration_seconds_sum", method="GET", collection="vpcs") == 0.3
    assert value(metrics, "aruba_creates_total", kind="VPC", outcome="made") == 1
    assert value(metrics, "aruba_credentials_total", tenant_mode="single", outcome="ok") == 1
    assert value(metrics, "aruba_listing_age_seconds_sum", collection="vpcs") == 42
    assert value(metrics, "aruba_phase_transitions_total", kind="VPC", **{"from": "", "to": "Creating"}) == 1
    name = "aruba_kubernetes_request_duration_seconds_count"
    assert value(metrics, name, verb="PATCH", resource="vpcs", status="200") == 1
    labels = {"previous_phase": "", "previous_reason": "", "phase": "Creating", "reason": "ShallSynchronize"}
    name = "aruba_reconcile_step_duration_seconds_sum"
    assert value(metrics, name, resource_kind="VPC", result="success", **labels) == 0.5


@pytest.mark.parametrize(("ok", "after"), [(False, "Failed"), (True, "Active")])
def test_a_transition_is_a_change_that_was_answered(ok, after):
    metrics = Metrics()
    metrics.step("VPC", ("Active", ""), (after, ""), ok, 0.1)
    assert value(metrics, "aruba_phase_transitions_total", kind="VPC", **{"from": "Active", "to": after}) is None


def test_labels_are_bounded():
    metrics = Metrics()
    for n in range(BOUND + 100):
        metrics.cloud("GET", f"collection-{n}", 200, 0.1)
    assert value(metrics, "aruba_cloud_requests_total", method="GET", collection="other", status="200") == 100
    assert value(metrics, "aruba_cloud_requests_total", method="GET", collection="collection-0", status="200") == 1


def test_two_processes_worth_of_metrics_do_not_meet():
    first, second = Metrics(), Metrics()
    first.create("VPC", "made")
    assert value(second, "aruba_creates_total", kind="VPC", outcome="made") is None
    assert b"aruba_creates_total{" in first.page()


def test_the_reference_page_lists_every_metric_with_its_labels():
    """docs/reference/metrics.md, in the order in which they are made."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "metrics.md").read_text()
    rows = re.findall(r"^\| `(aruba_\w+)` \| (\w+) \| (.+?) \| (.+?) \|$", page.partition("## Coming")[0], re.MULTILINE)
    told = [
        (name.removesuffix("_total"), kind, tuple(re.findall(r"`(\w+)`", labels)), text)
        for name, kind, labels, text in rows
    ]
    made = [
        (one._name, one._type, tuple(one._labelnames), one._documentation)
        for one in Metrics().registry._collector_to_names
        if not isinstance(one, ProcessCollector)
    ]
    assert told == made
