"""The metrics that the process offers to Prometheus, in a registry of its own (interfaces, "Metrics").

`stack` makes one `Metrics`; the edge, the cloud client and the Kubernetes client are handed its methods. Labels come
from fixed vocabularies; should one ever grow past its bound, further values are counted as `other`.
"""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

CONTENT_TYPE = CONTENT_TYPE_LATEST
BOUND = 64
"""Distinct values of one label: nine kinds, twelve phases, some twenty collections and a dozen statuses fit."""

_CALL = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30)
_AGE = (1, 5, 15, 30, 60, 120, 300, 600, 1800)


class Metrics:
    """Counters and histograms; every method takes plain values and none of them raises."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._seen: dict[str, set[str]] = {}
        ProcessCollector(registry=self.registry)
        self._passes()
        self._calls()

    def _passes(self) -> None:
        """What a pass was and came to."""
        step = ("resource_kind", "previous_phase", "previous_reason", "phase", "reason", "result")
        self._hooks = self._times("hook_duration_seconds", "Duration of hook calls.", "kind", "hook", "outcome")
        self._steps = self._times(
            "reconcile_step_duration_seconds", "Duration of passes.", *step, buckets=Histogram.DEFAULT_BUCKETS
        )  # upstream's name, labels and buckets (behaviour §3.4)
        self._transitions = self._counts("phase_transitions", "Replies with a new phase.", "kind", "from", "to")
        self._creates = self._counts("creates", "Attempts to make a resource in the cloud.", "kind", "outcome")

    def _calls(self) -> None:
        """What was asked of others."""
        call = ("method", "collection")
        self._cloud = self._counts("cloud_requests", "Requests to the Aruba Cloud API.", *call, "status")
        self._cloud_time = self._times("cloud_request_duration_seconds", "Their duration.", *call)
        self._credentials = self._counts("credentials", "Token requests.", "tenant_mode", "outcome")
        self._ages = self._times("listing_age_seconds", "Age of listings when used.", "collection", buckets=_AGE)
        ask = ("verb", "resource", "status")
        self._kube = self._times("kubernetes_request_duration_seconds", "Duration of Kubernetes requests.", *ask)

    def _counts(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"aruba_{name}", text, labels, registry=self.registry)

    def _times(self, name: str, text: str, *labels: str, buckets: Sequence[float] = _CALL) -> Histogram:
        return Histogram(f"aruba_{name}", text, labels, registry=self.registry, buckets=buckets)

    def hook(self, kind: str, hook: str, outcome: str, seconds: float) -> None:
        """One hook call was answered."""
        self._hooks.labels(*self._bounded(kind=kind, hook=hook, outcome=outcome)).observe(seconds)

    def step(self, kind: str, before: tuple[str, str], after: tuple[str, str], ok: bool, seconds: float) -> None:
        """One pass ended; `before` and `after` are phase and reason (behaviour §3.4)."""
        labels = self._bounded(
            kind=kind, phase_before=before[0], reason_before=before[1], phase=after[0], reason=after[1]
        )
        self._steps.labels(*labels, "success" if ok else "error").observe(seconds)
        if ok and before[0] != after[0]:
            self._transitions.labels(*self._bounded(kind=kind, phase_before=before[0], phase=after[0])).inc()

    def create(self, kind: str, outcome: str) -> None:
        """One POST that makes a resource came to an end: `made`, `refused`, `unknown`."""
        self._creates.labels(*self._bounded(kind=kind, create=outcome)).inc()

    def cloud(self, method: str, collection: str, status: int | str, seconds: float) -> None:
        """One request to the Aruba Cloud API; `collection` is a collection's name, never a path with IDs in it."""
        where = self._bounded(method=method, collection=collection)
        self._cloud.labels(*where, *self._bounded(status=str(status))).inc()
        self._cloud_time.labels(*where).observe(seconds)

    def credential(self, tenant_mode: str, outcome: str) -> None:
        """One attempt to get a token; `tenant_mode` is `single` or `vault`."""
        self._credentials.labels(*self._bounded(tenant_mode=tenant_mode, token=outcome)).inc()

    def listing_age(self, collection: str, seconds: float) -> None:
        """A listing of this age answered a look."""
        self._ages.labels(*self._bounded(collection=collection)).observe(seconds)

    def kubernetes(self, verb: str, resource: str, status: int, seconds: float) -> None:
        """One request to the Kubernetes API; status 0 means that no answer came."""
        self._kube.labels(*self._bounded(verb=verb, resource=resource, code=str(status))).observe(seconds)

    def page(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)

    def _bounded(self, **labels: str) -> list[str]:
        return [value if self._known(name, value) else "other" for name, value in labels.items()]

    def _known(self, name: str, value: str) -> bool:
        seen = self._seen.setdefault(name, set())
        if value not in seen and len(seen) < BOUND:
            seen.add(value)
        return value in seen
