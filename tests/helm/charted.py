"""The chart, rendered by Helm's own engine in this process, and the ways to install it that the tests go through."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import helm_python
import yaml

TOP = Path(__file__).parents[2]
CHART = TOP / "helm" / "aruba-cloud-operator"
NAMESPACE = "aruba-system"
NAME = "aruba-cloud-operator-hooks"
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

Object = dict[str, Any]


def mixed(one: Mapping[str, Any], other: Mapping[str, Any]) -> Object:
    """Values as Helm merges them: mappings member by member."""
    made = copy.deepcopy(dict(one))
    for key, value in other.items():
        inner = made.get(key)
        made[key] = mixed(inner, value) if isinstance(inner, dict) and isinstance(value, Mapping) else value
    return made


def at(path: str, value: Any) -> Object:
    """`{"a": {"b": value}}` for `a.b`."""
    for part in reversed(path.split(".")):
        value = {part: value}
    return value


IMAGE = {"image": {"repository": "registry.example/team/aruba"}}
TOKEN = {"hookAuth": {"token": {"existingSecret": "hook-token"}}}
KEYS = {"config": {"existingSecret": "aruba-keys"}}
TLS = {"tls": {"existingSecret": "hooks-tls", "ca": PEM}}
CLIENT = {"hookAuth": {"clientCertificate": {"existingSecret": "hook-client", "ca": {"configMap": "client-ca"}}}}
BASE = mixed(mixed(IMAGE, TOKEN), KEYS)


def vault(**more: Any) -> Object:
    said = {"address": "https://vault.example:8200", **more}
    return mixed(mixed(IMAGE, TOKEN), {"config": {"auth": {"mode": "multi", "multi": {"vault": said}}}})


ROLE_FROM = {
    "roleIdFrom": {"secretKeyRef": {"name": "vault-role", "key": "id"}},
    "roleSecretFrom": {"secretKeyRef": {"name": "vault-secret", "key": "secret"}},
}
OFF = {
    "crds": {"enabled": False},
    "compositeControllers": {"enabled": False},
    "rbac": {"create": False, "aggregate": False},
    "serviceAccount": {"create": False, "name": "mine"},
    "networkPolicy": {"enabled": False},
    "podDisruptionBudget": {"enabled": False},
    "kubeStateMetrics": {"enabled": False},
    "admission": {"deletionProtection": {"enabled": False}},
}
ON = {
    "admission": {"tenants": {"enabled": True}},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "metacontroller": {"serviceAccount": "metacontroller"},
    "networkPolicy": {
        "hooksFrom": [{"podSelector": {"matchLabels": {"app": "probe"}}}],
        "metricsFrom": [{"namespaceSelector": {"matchLabels": {"team": "monitoring"}}}],
    },
    "controller": {
        "replicas": 3,
        "priorityClassName": "system-cluster-critical",
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "infra", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "podAnnotations": {"vault.hashicorp.com/agent-inject": "true"},
        "podLabels": {"team": "platform"},
        "extraEnv": [{"name": "TZ", "value": "UTC"}],
        "extraVolumes": [{"name": "more", "emptyDir": {}}],
        "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}],
    },
    "image": {"pullSecrets": [{"name": "registry"}], "digest": f"sha256:{'a' * 64}"},
    "serviceAccount": {"annotations": {"who": "hooks"}},
    "settings": {"rate-limit": 20, "body-limit": 67108864, "tenant-policy": "namespace", "listing-age": "10m"},
}
UPSTREAM_SINGLE = """
crds: {enabled: true}
config:
  gateway: https://api.arubacloud.com
  auth:
    idp: https://login.aruba.it/auth
    realm: cmp-new-apikey
    mode: single
    single: {clientId: cmp-key, clientSecret: not-a-secret}
    multi:
      setup: manual
      vault:
        address: http://vault:8200
        kvMount: kv
        rolePath: approle
        roleIdFrom: {secretKeyRef: {name: "", key: ""}}
        roleSecretFrom: {secretKeyRef: {name: "", key: ""}}
controller:
  manager:
    containerSecurityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    image: {repository: registry.example/team/aruba, tag: "0.1.0"}
    resources: {limits: {cpu: 500m, memory: 128Mi}, requests: {cpu: 10m, memory: 64Mi}}
  nodeSelector: {}
  podSecurityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  replicas: 1
  tolerations: []
  topologySpreadConstraints: []
kubernetesClusterDomain: cluster.local
metricsService: {type: ClusterIP}
serviceAccount: {annotations: {}, automount: true, create: true, name: ""}
vault: {enabled: false}
"""
"""The shape of a values file for upstream's chart (behaviour §3.5), with an image of ours."""
UPSTREAM_MULTI = {
    "config": {
        "auth": {
            "mode": "multi",
            "single": {"clientId": "", "clientSecret": ""},
            "multi": {"vault": {"kvPrefix": "aruba", "roleNamespace": "platform", "roleId": "r", "roleSecret": "s"}},
        }
    }
}


def _modes() -> dict[str, Object]:
    upstream = mixed(yaml.safe_load(UPSTREAM_SINGLE), TOKEN)
    direct = {"config": {"auth": {"single": {"clientId": "cmp-key", "clientSecret": "not-a-secret"}}}}
    return {
        "token": BASE,
        "keys in values": mixed(mixed(IMAGE, TOKEN), direct),
        "open": mixed(mixed(IMAGE, KEYS), {"hookAuth": {"mode": "none"}}),
        "approle": vault(roleId="role", roleSecret="secret"),
        "approle from secrets": vault(**ROLE_FROM, kvPrefix="aruba", roleNamespace="platform"),
        "approle existing": mixed(vault(), KEYS),
        "kubernetes": vault(auth="kubernetes", role="aruba", ca={"configMap": "vault-ca"}),
        "token file": vault(auth="token", tokenFile="/vault/secrets/token", ca={"secret": "vault-ca", "key": "ca.pem"}),
        "tls": mixed(BASE, TLS),
        "client certificate": mixed(mixed(mixed(IMAGE, KEYS), TLS), CLIENT),
        "all trust": mixed(mixed(mixed(BASE, TLS), CLIENT), {"hookAuth": {"edition": 2}}),
        "existing config": mixed(BASE, {"config": {"existingConfigMap": "aruba-config"}}),
        "off": mixed(BASE, OFF),
        "on": mixed(mixed(mixed(BASE, TLS), CLIENT), ON),
        "upstream single": upstream,
        "upstream multi": mixed(upstream, UPSTREAM_MULTI),
        "one replica": mixed(BASE, {"controller": {"replicas": 1}}),
        "stopped": mixed(BASE, {"controller": {"replicas": 0}}),
    }


MODES: Mapping[str, Object] = MappingProxyType(_modes())
"""Every way to install it that differs in kind."""


@cache
def loaded() -> helm_python.Chart:
    """The chart as it stands in the checkout, read once."""
    return helm_python.Chart.load(str(CHART))


def rendered(values: Mapping[str, Any], namespace: str = NAMESPACE, name: str = "aruba") -> dict[str, str]:
    """File to text. Raises what Helm raises; the schema is checked as `helm template` does."""
    loaded().validate_schema(dict(values))
    return loaded().render(dict(values), name=name, namespace=namespace)


@cache
def _once(values: str, namespace: str, name: str) -> Mapping[str, str]:
    return MappingProxyType(rendered(json.loads(values), namespace, name))


def objects(values: Mapping[str, Any], namespace: str = NAMESPACE, name: str = "aruba") -> list[Object]:
    """All that is applied. The kinds, which no value changes, are shared: a test leaves them as they are."""
    made: list[Object] = []
    for file, text in _once(json.dumps(values, sort_keys=True), namespace, name).items():
        if not file.endswith("NOTES.txt"):
            made += _read(text) if file.endswith("crds.yaml") else copy.deepcopy(_read(text))
    return made


@cache
def _read(text: str) -> list[Object]:
    return [item for item in yaml.load_all(text, yaml.CSafeLoader) if item is not None]


def notes(values: Mapping[str, Any]) -> str:
    return next(text for file, text in rendered(values).items() if file.endswith("NOTES.txt"))


def of(kind: str, found: list[Object], name: str = "") -> list[Object]:
    return [item for item in found if item["kind"] == kind and name in ("", item["metadata"]["name"])]


def only(kind: str, found: list[Object], name: str = "") -> Object:
    (item,) = of(kind, found, name)
    return item


def refusal(values: Mapping[str, Any]) -> str:
    """What the chart says instead of rendering; empty when it renders."""
    try:
        rendered(values)
    except helm_python.HelmError as said:
        return str(said)
    return ""
