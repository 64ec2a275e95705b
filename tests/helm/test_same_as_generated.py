"""What the chart applies is what the kinds give: the same CRDs, controllers and rights as without Helm."""

from __future__ import annotations

import pytest
import yaml

from hooks.manifests import composite_controllers, hooks_rbac, metacontroller_rbac, metacontroller_secrets
from hooks.manifests.chart.parts import KEEP, kube_state_metrics
from hooks.manifests.controllers import SecretKey, Trust
from tests.helm.charted import BASE, MODES, NAME, NAMESPACE, PEM, TOP, at, mixed, objects, of, only

BEARER = SecretKey(NAMESPACE, "hook-token", "token")
CLIENT = SecretKey(NAMESPACE, "hook-client")
HTTP, HTTPS = (f"{scheme}://{NAME}.{NAMESPACE}.svc:{port}" for scheme, port in (("http", 8080), ("https", 8443)))


@pytest.mark.parametrize(
    ("mode", "base", "trust"),
    [
        ("token", HTTP, Trust(bearer=BEARER)),
        ("open", HTTP, Trust()),
        ("tls", HTTPS, Trust(ca=PEM, bearer=BEARER)),
        ("client certificate", HTTPS, Trust(ca=PEM, client=CLIENT)),
        ("all trust", HTTPS, Trust(ca=PEM, bearer=BEARER, client=CLIENT, edition="2")),
        ("upstream single", f"http://{NAME}.{NAMESPACE}.svc.cluster.local:8080", Trust(bearer=BEARER)),
    ],
)
def test_the_controllers(catalog, mode, base, trust):
    found = of("CompositeController", objects(MODES[mode]))
    wanted = composite_controllers(catalog, base_url=base, trust=trust)
    for item in found:
        assert item["metadata"].pop("labels")["app.kubernetes.io/managed-by"] == "Helm"
    assert found == wanted


def test_the_resync_period_is_the_installations(catalog):
    found = of("CompositeController", objects(mixed(BASE, at("compositeControllers.resyncPeriodSeconds", 600))))
    assert [item["spec"]["resyncPeriodSeconds"] for item in found] == [600] * len(list(catalog))


def test_the_kinds(catalog):
    found = of("CustomResourceDefinition", objects(BASE))
    for kind in catalog:
        committed = yaml.safe_load((TOP / "crds" / f"{kind.names.plural}.yaml").read_text())
        item = only("CustomResourceDefinition", found, committed["metadata"]["name"])
        assert item == {**committed, "metadata": {**committed["metadata"], "annotations": KEEP}}
    assert len(found) == len(list(catalog))


def roles(found):
    return {item["metadata"]["name"]: item["rules"] for item in of("ClusterRole", found)}


def test_the_rights(catalog):
    found = roles(objects(BASE))
    account, hooks, binding = hooks_rbac(catalog)
    (metacontroller,) = metacontroller_rbac(catalog)
    for wanted in (hooks, metacontroller, metacontroller_secrets()):
        assert found[wanted["metadata"]["name"]] == wanted["rules"]
    made = only("ClusterRoleBinding", objects(BASE))
    assert made["roleRef"] == binding["roleRef"]
    assert made["subjects"] == binding["subjects"]
    assert only("ServiceAccount", objects(BASE))["metadata"]["name"] == account["metadata"]["name"]


def test_metacontroller_may_read_secrets_only_where_a_controller_names_one():
    assert "aruba-cloud-operator-metacontroller-secrets" not in roles(objects(MODES["open"]))
    assert "aruba-cloud-operator-metacontroller-secrets" in roles(objects(MODES["client certificate"]))


@pytest.mark.parametrize("mode", MODES)
def test_no_role_says_everything_and_the_hooks_reach_no_secrets(mode):
    for item in of("ClusterRole", objects(MODES[mode])):
        words = {word for rule in item["rules"] for words in rule.values() for word in words}
        assert "*" not in words
        if not item["metadata"]["name"].endswith("-secrets"):
            assert not words & {"secrets", "configmaps"}, item["metadata"]["name"]


def test_who_may_view_or_edit_a_namespace_may_the_kinds_and_nobody_writes_a_status(catalog):
    found = {item["metadata"]["name"]: item for item in of("ClusterRole", objects(BASE))}
    plurals = {kind.names.plural for kind in catalog}
    for role, labels in (("view", {"view"}), ("edit", {"edit", "admin"})):
        item = found[f"aruba-cloud-operator-{role}"]
        aggregated = {key.rpartition("-to-")[2] for key in item["metadata"]["labels"] if "aggregate-to" in key}
        assert aggregated == labels
        may = {(name, verb) for rule in item["rules"] for name in rule["resources"] for verb in rule["verbs"]}
        assert {name for name, verb in may if verb == "list" and "/" not in name} == plurals
        assert {name for name, verb in may if verb == "delete"} == (plurals if role == "edit" else set())
        assert not [name for name, verb in may if "/status" in name and verb not in ("get", "list", "watch")]


def test_metacontroller_gets_what_it_needs_where_its_account_is_named(catalog):
    found = objects(MODES["on"])
    bindings = {item["metadata"]["name"]: item for item in of("ClusterRoleBinding", found)}
    for name in ("aruba-cloud-operator-metacontroller", "aruba-cloud-operator-metacontroller-secrets"):
        assert bindings[name]["roleRef"]["name"] == name
        assert bindings[name]["subjects"] == [
            {"kind": "ServiceAccount", "name": "metacontroller", "namespace": "metacontroller"}
        ]


def test_kube_state_metrics_counts_every_kind_in_every_phase(catalog):
    text = only("ConfigMap", objects(BASE), f"{NAME}-kube-state-metrics")["data"]["config.yaml"]
    assert yaml.safe_load(text) == kube_state_metrics(catalog)
    kinds = {item["groupVersionKind"]["kind"] for item in yaml.safe_load(text)["spec"]["resources"]}
    assert kinds == {str(kind) for kind in catalog}


def test_version_and_kubernetes_are_those_of_the_project():
    import tomllib

    about = yaml.safe_load((TOP / "helm" / "aruba-cloud-operator" / "Chart.yaml").read_text())
    version = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"]
    assert about["version"] == about["appVersion"] == version
    assert about["kubeVersion"] == ">=1.30.0-0"
