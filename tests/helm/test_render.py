"""Every way to install the chart gives objects that Kubernetes takes, and the same ones each time."""

from __future__ import annotations

import json
from functools import cache

import kubernetes_validate
import pytest
import yaml

from tests.helm.charted import BASE, CHART, MODES, NAMESPACE, OFF, PEM, at, loaded, mixed, objects, of, only, rendered

VERSIONS = ("1.30", "1.33", "1.37")
FOREIGN = {"CompositeController", "ServiceMonitor"}
"""Kinds of others, which no schema of Kubernetes describes."""
CLUSTER_WIDE = {
    "ClusterRole",
    "ClusterRoleBinding",
    "CompositeController",
    "CustomResourceDefinition",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}


@cache
def complaints(item: str) -> tuple[str, ...]:
    """What each of the versions has against an object; most objects are the same in most ways to install the chart."""
    found = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(json.loads(item), version, strict=True)
        except kubernetes_validate.ValidationError as said:
            found.append(f"{version}: {said.message}")
    return tuple(found)


@pytest.mark.parametrize("mode", MODES)
def test_kubernetes_takes_every_object(mode):
    found = [item for item in objects(MODES[mode]) if item["kind"] not in FOREIGN | {"CustomResourceDefinition"}]
    assert found
    for item in found:
        assert complaints(json.dumps(item, sort_keys=True)) == (), item["kind"]


def test_a_misspelt_member_would_be_seen():
    item = only("Deployment", objects(BASE))
    item["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    assert len(complaints(json.dumps(item))) == len(VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_the_kinds(version):
    found = of("CustomResourceDefinition", objects(BASE))
    assert len(found) == 9
    for item in found:
        kubernetes_validate.validate(item, version, strict=True)


@pytest.mark.parametrize("mode", MODES)
def test_rendered_twice_it_is_the_same_byte_for_byte(mode):
    assert rendered(MODES[mode]) == rendered(MODES[mode])


@pytest.mark.parametrize("mode", MODES)
def test_no_object_twice_and_each_in_its_place(mode):
    found = objects(MODES[mode])
    keys = [(item["kind"], item["metadata"]["name"]) for item in found]
    assert len(keys) == len(set(keys))
    for item in found:
        expected = None if item["kind"] in CLUSTER_WIDE else NAMESPACE
        assert item["metadata"].get("namespace") == expected, item["metadata"]


def test_nothing_in_a_template_is_made_up_or_asked_of_the_cluster():
    """A random password or a look-up would differ between `helm template`, a GitOps tool and the cluster."""
    words = ("rand", "genCA", "genSelfSigned", "genPrivateKey", "uuidv4", "now", "lookup", "htpasswd", "bcrypt")
    for template in loaded().templates:
        calls = [part.partition("}}")[0].split() for part in template["data"].split("{{")[1:]]
        assert not [word for call in calls for word in call if word.strip("(").startswith(words)], template["name"]


def test_all_that_can_be_left_out_leaves_the_hooks_alone():
    kinds = sorted(item["kind"] for item in objects(mixed(BASE, OFF)))
    assert kinds == ["ConfigMap", "Deployment", "Service", "Service"]


def test_without_a_word_everything_but_three_things_is_there():
    kinds = {item["kind"] for item in objects(BASE)}
    assert not {"ServiceMonitor", "Secret"} & kinds
    assert [p["metadata"]["name"] for p in of("ValidatingAdmissionPolicy", objects(BASE))] == [
        "deletion-protection.arubacloud.com"
    ]
    assert {"NetworkPolicy", "PodDisruptionBudget", "CustomResourceDefinition", "CompositeController"} <= kinds


def test_another_release_in_another_namespace_speaks_of_itself():
    found = objects(BASE, namespace="elsewhere", name="second")
    assert only("ClusterRoleBinding", found)["subjects"][0]["namespace"] == "elsewhere"
    hook = of("CompositeController", found)[0]["spec"]["hooks"]["sync"]["webhook"]
    assert hook["url"].startswith("http://aruba-cloud-operator-hooks.elsewhere.svc:8080/v2/")
    assert hook["authorization"]["secretRef"]["namespace"] == "elsewhere"


def test_the_services_find_the_pods_and_the_monitor_the_metrics():
    found = objects(MODES["on"])
    labels = only("Deployment", found)["spec"]["template"]["metadata"]["labels"]
    for service in of("Service", found):
        assert service["spec"]["selector"].items() <= labels.items()
    wanted = only("ServiceMonitor", found)["spec"]["selector"]["matchLabels"]
    matching = [
        s["metadata"]["name"] for s in of("Service", found) if wanted.items() <= s["metadata"]["labels"].items()
    ]
    assert matching == ["aruba-cloud-operator-hooks-metrics"]
    for policy in (*of("NetworkPolicy", found), *of("PodDisruptionBudget", found)):
        spec = policy["spec"]
        assert (spec.get("podSelector") or spec["selector"])["matchLabels"].items() <= labels.items()


def test_extra_labels_of_the_pods_never_take_the_selector_away():
    said = mixed(BASE, {"controller": {"podLabels": {"app.kubernetes.io/name": "other", "team": "a"}}})
    spec = only("Deployment", objects(said))["spec"]
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
    assert spec["template"]["metadata"]["labels"]["team"] == "a"


def test_only_metacontroller_reaches_the_hooks_and_anybody_the_metrics():
    first, second = only("NetworkPolicy", objects(BASE))["spec"]["ingress"]
    assert first["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "metacontroller"}}}]
    assert first["ports"] == [{"port": "hooks", "protocol": "TCP"}]
    assert second == {"ports": [{"port": "metrics", "protocol": "TCP"}]}


@pytest.mark.parametrize("replicas", [1, 2])
def test_one_pod_at_a_time_is_evicted_and_a_single_one_holds_up_no_drain(replicas):
    budget = only("PodDisruptionBudget", objects(mixed(BASE, at("controller.replicas", replicas))))
    assert budget["spec"]["maxUnavailable"] == 1
    assert "minAvailable" not in budget["spec"]


def test_the_image_is_that_of_the_chart_unless_told_otherwise():
    def image(values):
        return only("Deployment", objects(values))["spec"]["template"]["spec"]["containers"][0]["image"]

    about = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert image(BASE) == f"registry.example/team/aruba:{about['appVersion']}"
    assert image(mixed(BASE, at("image.tag", "9"))) == "registry.example/team/aruba:9"
    digest = f"sha256:{'b' * 64}"
    assert image(mixed(BASE, at("image.digest", digest))) == f"registry.example/team/aruba@{digest}"
    theirs = {"controller": {"manager": {"image": {"repository": "theirs", "tag": "7"}}}}
    assert image(mixed(BASE, theirs)) == f"registry.example/team/aruba:{about['appVersion']}"


def test_helm_finds_nothing_to_say_against_it():
    import helm_python

    report = helm_python.lint(str(CHART), mixed(BASE, {"tls": {"existingSecret": "t", "ca": PEM}}), strict=True)
    assert report["errors"] == []
    assert [m for m in report["messages"] if m["severity"] > 1] == []
