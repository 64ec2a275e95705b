"""Words that the chart takes beside its own values: settings by key, names of upstream's chart. Used by `values`."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import Any

from hooks.settings import Settings

Schema = dict[str, Any]

AT_START = ("rate-limit", "body-limit", "in-flight", "log-level")
"""Read once: the chart sets them as environment variables, so that a change of these, and no other, makes new Pods."""

_PLACED = (
    "api-gateway keycloak-url realm-api client-id client-secret vault-enabled vault-address vault-auth vault-role "
    "vault-token-file vault-ca-file role-path role-id role-secret kv-mount kv-prefix role-namespace replicas hook-auth "
    "hook-token"
).split()
"""Settings with a value of their own."""

_WORDS = MappingProxyType(
    {
        "tenant-policy": ["any", "namespace"],
        "reference-policy": ["any", "same-tenant", "granted"],
        "mode": ["manage", "observe"],
        "adoption-policy": ["never", "if-unowned", "always"],
        "delete-policy": ["delete", "orphan"],
        "on-external-delete": ["recreate", "report"],
        "drift-policy": ["correct", "report"],
        "suspend": ["false", "true", False, True],
        "deletion-protection": ["false", "true", False, True],
        "log-level": ["trace", "debug", "info", "warn", "error"],
    }
)


def _settings() -> dict[str, Schema]:
    keys = (spec.name.replace("_", "-") for spec in fields(Settings))
    return {key: {"enum": _WORDS[key]} if key in _WORDS else {} for key in keys if key not in _PLACED}


SETTINGS = MappingProxyType(_settings())
"""The rest, by key, with what a schema can say of each."""

UPSTREAM_ONLY: tuple[tuple[str, Schema, str], ...] = (
    (
        "controller.manager.image",
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {"repository": {"type": "string"}, "tag": {"type": "string"}},
        },
        "counts where `image.repository` is empty; the Go operator's own image is refused",
    ),
    ("controller.manager.args", {"type": "array"}, "refused unless empty: they are words of the Go operator"),
    ("metricsService.ports", {"type": "array"}, "refused unless empty: metrics are plain HTTP at port 8081"),
    ("vault", {"type": "object"}, "refused unless `enabled: false`: this chart brings no Vault"),
    (
        "config.auth.multi.vault.auto",
        {"type": "object"},
        "counts for nothing, as with upstream unless `setup: auto`, which is refused",
    ),
)
"""Names of upstream's chart that mean something else here: taken, and refused by templates in words of their own."""
