"""The CompositeControllers that make Metacontroller call our hooks, one for each kind (mc §10.3).

Called by `files`, and by local mode with its own base URL. The names are never changed: finalizers carry them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION, GROUP

BASE_URL = "http://aruba-cloud-operator-hooks.aruba-system.svc:8080"
HOOK_TIMEOUT = 30
"""Seconds that Metacontroller waits for sync and finalize; the deadline of a pass lies below."""
CUSTOMIZE_TIMEOUT = 5
"""Seconds for customize, which does no I/O."""
RESYNC_PERIOD = 300
"""Seconds; a net under wake-ups and `resyncAfterSeconds`, not a poll."""


class SecretKey(NamedTuple):
    """One value in a Secret of the cluster."""

    namespace: str
    name: str
    key: str = ""


class Trust(NamedTuple):
    """How Metacontroller and the hooks know each other (mc §1.3).

    `ca` is PEM and stands in the spec itself: only what is named by Secret makes Metacontroller watch all Secrets.
    Metacontroller reads these once; `edition` is any text, and changing it makes it read them again.
    """

    ca: str = ""
    bearer: SecretKey | None = None
    client: SecretKey | None = None
    """The Secret with `tls.crt` and `tls.key` of Metacontroller's own certificate."""
    edition: str = ""


NO_TRUST = Trust()


def composite_controllers(
    kinds: Iterable[Kind],
    base_url: str = BASE_URL,
    hook_timeout: int = HOOK_TIMEOUT,
    customize_timeout: int = CUSTOMIZE_TIMEOUT,
    resync_period: int = RESYNC_PERIOD,
    trust: Trust = NO_TRUST,
) -> list[dict[str, Any]]:
    """One CompositeController for each kind; times are in seconds, `base_url` is without a final slash."""
    timeouts = {"sync": hook_timeout, "finalize": hook_timeout, "customize": customize_timeout}
    return [_controller(kind.names.plural, base_url, timeouts, resync_period, trust) for kind in kinds]


def _controller(
    plural: str, base_url: str, timeouts: dict[str, int], resync_period: int, trust: Trust
) -> dict[str, Any]:
    query = f"?edition={trust.edition}" if trust.edition else ""
    return {
        "apiVersion": "metacontroller.k8s.io/v1alpha1",
        "kind": "CompositeController",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "generateSelector": True,
            "resyncPeriodSeconds": resync_period,
            "parentResource": {"apiVersion": API_VERSION, "resource": plural},
            "hooks": {
                name: _hook(f"{base_url}/v2/{plural}/{name}{query}", timeout, trust)
                for name, timeout in timeouts.items()
            },
        },
    }


def _hook(url: str, timeout: int, trust: Trust) -> dict[str, Any]:
    """The version is said at each hook: Metacontroller's default is v1 for every one of them (mc §1.3)."""
    return {"version": "v2", "webhook": {"url": url, "timeout": f"{timeout}s", **_known(trust)}}


def _known(trust: Trust) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if trust.ca:
        said["caBundle"] = {"inline": trust.ca}
    if trust.bearer is not None:
        said["authorization"] = {"type": "Bearer", "secretRef": trust.bearer._asdict()}
    if trust.client is not None:
        said["clientTLS"] = {"secretRef": {"name": trust.client.name, "namespace": trust.client.namespace}}
    return said
