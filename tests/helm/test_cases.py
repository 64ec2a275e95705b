"""Field cases 61, 107, 108, 111, 112 and 113, as far as a chart by itself can show them; 109 is in test_settings."""

from __future__ import annotations

import re

import pytest
import yaml

from hooks.aruba.kinds import discover
from hooks.cli.generate import drift
from hooks.manifests import HOOK_TIMEOUT
from hooks.manifests.chart import FOLDER, chart
from hooks.settings import Settings
from tests.helm.charted import (
    BASE,
    CHART,
    MODES,
    TOP,
    UPSTREAM_SINGLE,
    at,
    loaded,
    mixed,
    notes,
    objects,
    of,
    only,
    refusal,
    vault,
)


@pytest.mark.parametrize("mode", MODES)
def test_case_61_and_107_nothing_in_the_chart_acts_when_it_is_removed(mode):
    """A hook that deleted objects, or anything with a finalizer of its own, would reach the cloud or hang."""
    for item in objects(MODES[mode]):
        annotations = item["metadata"].get("annotations", {})
        assert not [key for key in annotations if key.startswith("helm.sh/hook")]
        assert "finalizers" not in item["metadata"]
        assert item["kind"] not in ("Job", "Pod")
        assert item.get("apiVersion") != "arubacloud.com/v1alpha1"


def test_case_61_the_notes_say_in_which_order_to_leave():
    said = " ".join(notes(BASE).split())
    assert "`helm uninstall` leaves kinds and objects, and nothing is deleted in the cloud" in said
    assert "Objects that are deleted meanwhile wait for the operator to come back" in said
    assert "delete the objects first while the operator runs" in said


def test_case_107_the_kinds_stay_when_the_release_goes():
    found = of("CustomResourceDefinition", objects(BASE))
    assert len(found) == 9
    for item in found:
        assert item["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


def test_case_107_no_value_takes_the_policy_away():
    assert [
        value for value in (CHART / "values.yaml").read_text().splitlines() if "keep" in value.partition(":")[0]
    ] == []


FILLED = {
    "single": MODES["keys in values"],
    "multi direct": vault(roleId="r", roleSecret="s"),
    "multi by Secret": MODES["approle from secrets"],
    "multi with empty references": vault(
        roleId="r",
        roleSecret="s",
        roleIdFrom={"secretKeyRef": {"name": "", "key": ""}},
        roleSecretFrom={"secretKeyRef": {"name": "", "key": ""}},
    ),
}


@pytest.mark.parametrize("way", FILLED)
def test_case_108_no_object_refers_to_a_secret_without_a_name(way):
    found = objects(FILLED[way])
    for volume in only("Deployment", found)["spec"]["template"]["spec"]["volumes"]:
        for source in volume.get("projected", {}).get("sources", []):
            assert source["secret"]["name"]
            assert all(item["key"] for item in source["secret"].get("items", []))


@pytest.mark.parametrize("way", ["multi direct", "multi with empty references"])
def test_case_108_an_empty_reference_leaves_the_value_in_force(way):
    assert only("Secret", objects(FILLED[way]))["stringData"] == {"role-id": "r", "role-secret": "s"}


@pytest.mark.parametrize(
    ("ref", "missing"), [({"name": "s", "key": ""}, "key missing"), ({"name": "", "key": "k"}, "name missing")]
)
@pytest.mark.parametrize("name", ["roleIdFrom", "roleSecretFrom"])
def test_case_108_a_half_filled_reference_is_refused_by_name(name, ref, missing):
    said = refusal(vault(roleId="r", roleSecret="s", **{name: {"secretKeyRef": ref}}))
    assert f"config.auth.multi.vault.{name}.secretKeyRef: {missing}: name and key go together" in said


def test_case_108_a_value_beside_a_reference_is_in_no_secret():
    found = objects(vault(roleId="r", roleSecret="s", roleIdFrom={"secretKeyRef": {"name": "n", "key": "k"}}))
    assert only("Secret", found)["stringData"] == {"role-secret": "s"}


def test_case_111_what_is_told_of_the_values_is_what_they_are():
    files = chart(discover())
    assert [path for path, text in files.items() if (TOP / path).read_text() != text] == []
    assert [d for d in drift(TOP, files) if d.path.startswith(FOLDER)] == []


def test_case_111_defaults_are_those_of_the_settings():
    said, ours = loaded().values, Settings()
    auth = said["config"]["auth"]
    assert (said["config"]["gateway"], auth["idp"], auth["realm"]) == (
        ours.api_gateway,
        ours.keycloak_url,
        ours.realm_api,
    )
    vault = auth["multi"]["vault"]
    assert (vault["kvMount"], vault["rolePath"], vault["auth"]) == (ours.kv_mount, ours.role_path, ours.vault_auth)
    assert said["image"] == {"repository": "", "tag": "", "digest": "", "pullPolicy": "IfNotPresent", "pullSecrets": []}


def test_case_111_hosts_and_mounts_of_the_pages_are_those_of_the_chart():
    said = loaded().values["config"]
    direct = (TOP / "docs" / "how-to" / "direct-mode.md").read_text()
    for key, value in (
        ("api-gateway", said["gateway"]),
        ("keycloak-url", said["auth"]["idp"]),
        ("realm-api", said["auth"]["realm"]),
    ):
        assert f"--from-literal={key}={value}" in direct
    assert (
        f"kv-mount: {said['auth']['multi']['vault']['kvMount']}" in (TOP / "docs" / "how-to" / "vault.md").read_text()
    )
    assert said["auth"]["idp"] in (CHART / "README.md").read_text()


def test_case_111_the_image_is_never_latest():
    for mode in MODES:
        image = only("Deployment", objects(MODES[mode]))["spec"]["template"]["spec"]["containers"][0]["image"]
        assert not image.endswith(":latest")
        assert re.search(r"[:@]\S+$", image)


@pytest.mark.parametrize("mode", ["token", "all trust", "on"])
def test_case_112_every_controller_has_its_hooks_of_version_2_and_time_enough(mode):
    for item in of("CompositeController", objects(MODES[mode])):
        assert item["spec"]["generateSelector"] is True
        hooks = item["spec"]["hooks"]
        assert hooks.keys() == {"sync", "finalize", "customize"}
        assert {hook["version"] for hook in hooks.values()} == {"v2"}
        assert {hooks[name]["webhook"]["timeout"] for name in ("sync", "finalize")} == {f"{HOOK_TIMEOUT}s"}
        assert item["spec"]["resyncPeriodSeconds"] < 1800


def test_case_112_the_oldest_metacontroller_and_its_pace_are_named():
    said = " ".join(notes(BASE).split())
    assert "4.17.2 or later" in said
    assert "default of 5 requests a second" in said
    assert "--client-go-qps=100 --client-go-burst=200" in said
    assert "4.17.2 or later" in (CHART / "README.md").read_text()


def test_case_113_the_kinds_are_upgraded_with_the_release():
    """What lies in a chart's crds/ is installed once and never again: new fields would be pruned silently."""
    assert loaded().crds == []
    assert len(of("CustomResourceDefinition", objects(BASE))) == 9
    assert of("CustomResourceDefinition", objects(mixed(BASE, at("crds.enabled", False)))) == []


def test_a_values_file_for_upstreams_chart_does_the_same_here():
    values = mixed(yaml.safe_load(UPSTREAM_SINGLE), {"hookAuth": {"token": {"existingSecret": "hook-token"}}})
    deployment = only("Deployment", objects(values))["spec"]
    pod = deployment["template"]["spec"]
    assert deployment["replicas"] == 1
    assert pod["containers"][0]["image"] == "registry.example/team/aruba:0.1.0"
    assert pod["containers"][0]["resources"]["limits"] == {"cpu": "500m", "memory": "128Mi"}
    assert only("Secret", objects(values))["stringData"] == {"client-id": "cmp-key", "client-secret": "not-a-secret"}


@pytest.mark.parametrize("mode", MODES)
def test_the_notes_hold_nothing_that_a_template_left_open(mode):
    said = notes(MODES[mode])
    assert "<no value>" not in said
    assert "{{" not in said
    assert "aruba-hooks doctor" in said
    assert ("WARNING: hookAuth.mode is none" in said) == (mode == "open")
