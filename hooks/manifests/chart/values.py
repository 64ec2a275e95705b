"""Every value of the chart: where it stands, what it is without a word, what may be said, and what for.

`pages` makes values.yaml, values.schema.json and the README's table of it. Defaults of settings are taken from the
settings themselves, so that chart and process cannot disagree. Names of upstream's chart are kept (behaviour §3.5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hooks.manifests.chart.words import SETTINGS, UPSTREAM_ONLY
from hooks.manifests.controllers import RESYNC_PERIOD
from hooks.settings import Settings

Schema = dict[str, Any]


class Value(NamedTuple):
    """One value; `about` is for people, in one or two sentences. `shown` is False where no default is written out."""

    path: str
    default: Any
    schema: Schema
    about: str
    shown: bool = True


_ARUBA = Settings()
_TEXT: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "pattern": r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$"}
_KEY: Schema = {"type": "string", "pattern": r"^[-._a-zA-Z0-9]*$"}
_URL: Schema = {"type": "string", "pattern": r"^(https?://[^\s]+)?$"}
_FLAG: Schema = {"type": "boolean"}
_MAP: Schema = {"type": "object"}
_WORDS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
_LIST: Schema = {"type": "array", "items": {"type": "object"}}
_VAULT = "config.auth.multi.vault"
_POD = {
    "runAsNonRoot": True,
    "runAsUser": 65532,
    "runAsGroup": 65532,
    "fsGroup": 65532,
    "seccompProfile": {"type": "RuntimeDefault"},
}
_CONTAINER = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
}
_RESOURCES = {"requests": {"cpu": "100m", "memory": "192Mi"}, "limits": {"memory": "512Mi"}}
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - a Pod's own network
_SAMPLE = "registry.example/team/aruba-cloud-operator"


def _whole(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _one_of(*words: str) -> Schema:
    return {"type": "string", "enum": list(words)}


def _from(path: str, what: str) -> tuple[Value, Value]:
    """A value that stands in a Secret of its own, with a key of its own name."""
    place = f"{path}.secretKeyRef"
    return (
        Value(f"{place}.name", "", _NAME, f"Secret that holds {what}; counts before the value itself"),
        Value(f"{place}.key", "", _KEY, "its key in there; name and key go together"),
    )


_IMAGE = (
    Value("image.repository", "", _TEXT, f"**Required.** The image that `make image` built, such as `{_SAMPLE}`"),
    Value("image.tag", "", _TEXT, "its tag; the chart's appVersion without one"),
    Value(
        "image.digest",
        "",
        {"type": "string", "pattern": "^(sha256:[0-9a-f]{64})?$"},
        "pins it by content, `sha256:…`; counts before the tag",
    ),
    Value("image.pullPolicy", "IfNotPresent", _one_of("Always", "IfNotPresent", "Never"), "when it is pulled"),
    Value("image.pullSecrets", [], _LIST, "Secrets to pull it with, each as `{name: …}`"),
    Value("crds.enabled", True, _FLAG, "install and upgrade the nine kinds; they stay at `helm uninstall`"),
    Value("nameOverride", "", _NAME, "name of all objects instead of `aruba-cloud-operator-hooks`"),
    Value(
        "kubernetesClusterDomain",
        "",
        {"type": "string", "pattern": r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$"},
        "appended to the host that Metacontroller calls, such as `cluster.local`; needed by no usual cluster",
    ),
)

_CONFIG = (
    Value(
        "config.existingConfigMap",
        "",
        _NAME,
        "a ConfigMap with the settings by key; the chart makes none then, and nothing else below `config` but Secrets "
        "counts",
    ),
    Value(
        "config.existingSecret",
        "",
        _NAME,
        "a Secret with `client-id` and `client-secret`, or `role-id` and `role-secret`: better than having them in "
        "values",
    ),
    Value("config.gateway", _ARUBA.api_gateway, _URL, "setting `api-gateway`: base URL of the Aruba Cloud API"),
    Value("config.auth.idp", _ARUBA.keycloak_url, _URL, "setting `keycloak-url`: base URL of the identity provider"),
    Value("config.auth.realm", _ARUBA.realm_api, _TEXT, "setting `realm-api`: its realm"),
    Value("config.auth.mode", "single", _one_of("single", "multi"), "one API key for all tenants, or each its own"),
    Value("config.auth.single.clientId", "", _TEXT, "setting `client-id`, kept in a Secret that the chart makes"),
    Value("config.auth.single.clientSecret", "", _TEXT, "setting `client-secret`, likewise"),
    Value(
        "config.auth.multi.setup",
        "manual",
        _one_of("manual", "auto"),
        "only `manual`: this chart brings no Vault of its own",
    ),
    Value(f"{_VAULT}.address", "", _URL, "setting `vault-address`; required with mode `multi`"),
    Value(f"{_VAULT}.auth", _ARUBA.vault_auth, _one_of("approle", "kubernetes", "token"), "setting `vault-auth`"),
    Value(f"{_VAULT}.role", "", _TEXT, "setting `vault-role`; required with auth `kubernetes`"),
    Value(
        f"{_VAULT}.tokenFile",
        "",
        {"type": "string", "pattern": "^(/.*)?$"},
        "setting `vault-token-file`; required with auth `token`",
    ),
    Value(f"{_VAULT}.kvMount", _ARUBA.kv_mount, _TEXT, "setting `kv-mount`"),
    Value(f"{_VAULT}.kvPrefix", "", _TEXT, "setting `kv-prefix`"),
    Value(f"{_VAULT}.rolePath", _ARUBA.role_path, _TEXT, "setting `role-path`"),
    Value(f"{_VAULT}.roleNamespace", "", _TEXT, "setting `role-namespace`"),
    Value(f"{_VAULT}.roleId", "", _TEXT, "setting `role-id`, kept in a Secret that the chart makes"),
    Value(f"{_VAULT}.roleSecret", "", _TEXT, "setting `role-secret`, likewise"),
    *_from(f"{_VAULT}.roleIdFrom", "the role_id"),
    *_from(f"{_VAULT}.roleSecretFrom", "the secret_id"),
    Value(
        f"{_VAULT}.ca.configMap", "", _NAME, "ConfigMap with the CA of Vault's certificate: mounted as `vault-ca-file`"
    ),
    Value(f"{_VAULT}.ca.secret", "", _NAME, "or a Secret with it"),
    Value(f"{_VAULT}.ca.key", "ca.crt", _KEY, "its key in there"),
    Value(
        "settings",
        {},
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {key: {"type": ["string", "number", "boolean"], **more} for key, more in SETTINGS.items()},
        },
        "any other [setting](../../docs/reference/settings.md) by its key, such as `tenant-policy: namespace`",
    ),
)

_CALLERS = (
    Value(
        "hookAuth.mode",
        "",
        _one_of("", "none"),
        "`none` lets in whoever reaches the hooks. Otherwise a token, client certificates or both are **required**",
    ),
    Value(
        "hookAuth.token.existingSecret",
        "",
        _NAME,
        "Secret, in the release's namespace, with the bearer token that Metacontroller sends",
    ),
    Value("hookAuth.token.key", "token", {**_KEY, "minLength": 1}, "its key in there: one token"),
    Value(
        "hookAuth.token.acceptedKey",
        "",
        _KEY,
        "another key of that Secret with the tokens that the hooks accept, one a line, while one replaces another",
    ),
    Value(
        "hookAuth.clientCertificate.existingSecret",
        "",
        _NAME,
        "Secret with `tls.crt` and `tls.key` that Metacontroller shows to the hooks; needs `tls`",
    ),
    Value("hookAuth.clientCertificate.ca.configMap", "", _NAME, "ConfigMap with the CA of that certificate"),
    Value("hookAuth.clientCertificate.ca.secret", "", _NAME, "or a Secret with it"),
    Value("hookAuth.clientCertificate.ca.key", "ca.crt", {**_KEY, "minLength": 1}, "its key in there"),
    Value(
        "hookAuth.edition",
        "",
        {"type": ["string", "integer"], "pattern": r"^[-._a-zA-Z0-9]*$"},
        "any word; change it after a token or certificate changed, since Metacontroller reads them once",
    ),
    Value("tls.existingSecret", "", _NAME, "Secret with `tls.crt` and `tls.key`: the hooks speak TLS, at port 8443"),
    Value("tls.ca", "", _TEXT, "the CA of that certificate in PEM, for Metacontroller; empty: public authorities"),
    Value("metacontroller.namespace", "metacontroller", {**_NAME, "minLength": 1}, "where Metacontroller runs"),
    Value(
        "metacontroller.serviceAccount",
        "",
        _NAME,
        "its service account, to bind what it needs to it; its own installation usually grants it everything",
    ),
    Value(
        "compositeControllers.enabled", True, _FLAG, "have Metacontroller call the hooks: one controller for each kind"
    ),
    Value(
        "compositeControllers.resyncPeriodSeconds", RESYNC_PERIOD, _whole(1, 1799), "a net under wake-ups, not a poll"
    ),
)

_PODS = (
    Value("controller.replicas", 2, _whole(0, 1000), "how many hooks run; they share the rate limit"),
    Value(
        "controller.host",
        _EVERYWHERE,
        {**_TEXT, "minLength": 1},
        "address to listen at; `::` where Pods have IPv6 only",
    ),
    Value("controller.manager.resources", _RESOURCES, _MAP, "what a Pod asks for and may take"),
    Value("controller.manager.containerSecurityContext", _CONTAINER, _MAP, "passes Pod Security `restricted`"),
    Value("controller.podSecurityContext", _POD, _MAP, "likewise"),
    Value("controller.nodeSelector", {}, _WORDS, "nodes to run on"),
    Value("controller.tolerations", [], _LIST, "taints to run in spite of"),
    Value("controller.affinity", {}, _MAP, "finer words about nodes and neighbours"),
    Value("controller.topologySpreadConstraints", [], _LIST, "instead of: spread over nodes where possible"),
    Value("controller.priorityClassName", "", _NAME, "priority class of the Pods"),
    Value("controller.podAnnotations", {}, _WORDS, "annotations of the Pods, for a Vault agent for example"),
    Value("controller.podLabels", {}, _WORDS, "more labels of the Pods"),
    Value("controller.extraEnv", [], _LIST, "more environment variables; a setting in a file counts before them"),
    Value("controller.extraVolumes", [], _LIST, "more volumes"),
    Value("controller.extraVolumeMounts", [], _LIST, "where they are mounted"),
    Value("podDisruptionBudget.enabled", True, _FLAG, "one Pod at a time is evicted"),
)

_AROUND = (
    Value("serviceAccount.create", True, _FLAG, "make the hooks' service account"),
    Value("serviceAccount.name", "", _NAME, "its name; like everything else without one"),
    Value("serviceAccount.annotations", {}, _WORDS, "its annotations"),
    Value("serviceAccount.automount", True, _FLAG, "mount its token, without which the hooks reach no Kubernetes API"),
    Value("rbac.create", True, _FLAG, "make the roles of hooks and Metacontroller, and bind those of the hooks"),
    Value("rbac.aggregate", True, _FLAG, "add the kinds to the cluster's own roles view, edit and admin"),
    Value("networkPolicy.enabled", True, _FLAG, "let only Metacontroller's namespace reach the hooks"),
    Value("networkPolicy.hooksFrom", [], _LIST, "more NetworkPolicy peers that may call the hooks"),
    Value("networkPolicy.metricsFrom", [], _LIST, "the only peers that may read metrics and health; empty: all"),
    Value(
        "metricsService.type", "ClusterIP", _one_of("ClusterIP", "NodePort", "LoadBalancer"), "Service of the metrics"
    ),
    Value("serviceMonitor.enabled", False, _FLAG, "a ServiceMonitor for the Prometheus operator"),
    Value("serviceMonitor.interval", "30s", _TEXT, "how often it asks"),
    Value("serviceMonitor.labels", {}, _WORDS, "labels by which your Prometheus finds it"),
    Value("kubeStateMetrics.enabled", True, _FLAG, "a ConfigMap for kube-state-metrics: objects by phase"),
    Value(
        "admission.deletionProtection.enabled",
        True,
        _FLAG,
        'the API server refuses to delete what `arubacloud.com/deletion-protection: "true"` protects',
    ),
    Value(
        "admission.tenants.enabled",
        False,
        _FLAG,
        "the API server refuses tenants that the Namespace's `arubacloud.com/tenants` does not list",
    ),
)

VALUES = (*_IMAGE, *_CONFIG, *_CALLERS, *_PODS, *_AROUND, *(Value(p, None, s, t, False) for p, s, t in UPSTREAM_ONLY))
