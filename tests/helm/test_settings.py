"""Field case 109: every value reaches something, and what the chart writes is what the process reads."""

from __future__ import annotations

import argparse
from datetime import timedelta

import pytest

from hooks.cli import serve
from hooks.manifests.chart.values import VALUES
from hooks.manifests.chart.words import AT_START, SETTINGS
from hooks.settings import Settings
from tests.helm.charted import (
    BASE,
    CLIENT,
    IMAGE,
    MODES,
    NAME,
    ROLE_FROM,
    TLS,
    TOKEN,
    TOP,
    at,
    mixed,
    objects,
    only,
    refusal,
    rendered,
    vault,
)

VAULT = "config.auth.multi.vault"
APPROLE = vault(roleId="r", roleSecret="s")
TRUST = mixed(mixed(BASE, TLS), CLIENT)
SINGLE = mixed(mixed(IMAGE, TOKEN), {"config": {"auth": {"single": {"clientId": "i", "clientSecret": "s"}}}})
MONITORED = mixed(BASE, at("serviceMonitor.enabled", True))
FROM = vault(**ROLE_FROM)
VAULT_CA = vault(roleId="r", roleSecret="s", ca={"configMap": "c"})
HELD = {"name": "held", "emptyDir": {}}

CHANGED = {
    "image.repository": (BASE, "other"),
    "image.tag": (BASE, "9"),
    "image.digest": (BASE, f"sha256:{'c' * 64}"),
    "image.pullPolicy": (BASE, "Always"),
    "image.pullSecrets": (BASE, [{"name": "registry"}]),
    "crds.enabled": (BASE, False),
    "nameOverride": (BASE, "other"),
    "kubernetesClusterDomain": (BASE, "cluster.local"),
    "config.existingConfigMap": (BASE, "other"),
    "config.existingSecret": (BASE, "other"),
    "config.gateway": (BASE, "https://api.example"),
    "config.auth.idp": (BASE, "https://login.example"),
    "config.auth.realm": (BASE, "other"),
    "config.auth.mode": (mixed(BASE, {"config": {"auth": {"multi": {"vault": {"address": "https://v"}}}}}), "multi"),
    "config.auth.single.clientId": (SINGLE, "other"),
    "config.auth.single.clientSecret": (SINGLE, "other"),
    f"{VAULT}.address": (APPROLE, "https://other"),
    f"{VAULT}.auth": (mixed(APPROLE, at(f"{VAULT}.role", "x")), "kubernetes"),
    f"{VAULT}.role": (vault(auth="kubernetes", role="x"), "other"),
    f"{VAULT}.tokenFile": (vault(auth="token", tokenFile="/x"), "/other"),
    f"{VAULT}.kvMount": (APPROLE, "other"),
    f"{VAULT}.kvPrefix": (APPROLE, "other"),
    f"{VAULT}.rolePath": (APPROLE, "other"),
    f"{VAULT}.roleNamespace": (APPROLE, "other"),
    f"{VAULT}.roleId": (APPROLE, "other"),
    f"{VAULT}.roleSecret": (APPROLE, "other"),
    f"{VAULT}.roleIdFrom.secretKeyRef.name": (FROM, "other"),
    f"{VAULT}.roleIdFrom.secretKeyRef.key": (FROM, "other"),
    f"{VAULT}.roleSecretFrom.secretKeyRef.name": (FROM, "other"),
    f"{VAULT}.roleSecretFrom.secretKeyRef.key": (FROM, "other"),
    f"{VAULT}.ca.configMap": (VAULT_CA, "other"),
    f"{VAULT}.ca.secret": (APPROLE, "other"),
    f"{VAULT}.ca.key": (VAULT_CA, "other"),
    "settings": (BASE, {"mode": "observe"}),
    "hookAuth.mode": (mixed(IMAGE, at("config.existingSecret", "k")), "none"),
    "hookAuth.token.existingSecret": (BASE, "other"),
    "hookAuth.token.key": (BASE, "other"),
    "hookAuth.token.acceptedKey": (BASE, "all"),
    "hookAuth.clientCertificate.existingSecret": (TRUST, "other"),
    "hookAuth.clientCertificate.ca.configMap": (TRUST, "other"),
    "hookAuth.clientCertificate.ca.secret": (mixed(TRUST, at("hookAuth.clientCertificate.ca.configMap", "")), "other"),
    "hookAuth.clientCertificate.ca.key": (TRUST, "other"),
    "hookAuth.edition": (BASE, "2"),
    "tls.existingSecret": (BASE, "other"),
    "tls.ca": (TRUST, "-----BEGIN CERTIFICATE-----\nother\n-----END CERTIFICATE-----\n"),
    "metacontroller.namespace": (BASE, "other"),
    "metacontroller.serviceAccount": (BASE, "other"),
    "compositeControllers.enabled": (BASE, False),
    "compositeControllers.resyncPeriodSeconds": (BASE, 600),
    "controller.replicas": (BASE, 5),
    "controller.host": (BASE, "::"),
    "controller.manager.resources": (BASE, {"limits": {"memory": "1Gi"}}),
    "controller.manager.containerSecurityContext": (BASE, {"runAsUser": 7}),
    "controller.podSecurityContext": (BASE, {"runAsUser": 7}),
    "controller.nodeSelector": (BASE, {"a": "b"}),
    "controller.tolerations": (BASE, [{"operator": "Exists"}]),
    "controller.affinity": (BASE, {"podAffinity": {}}),
    "controller.topologySpreadConstraints": (BASE, [{"maxSkew": 2}]),
    "controller.priorityClassName": (BASE, "high"),
    "controller.podAnnotations": (BASE, {"a": "b"}),
    "controller.podLabels": (BASE, {"a": "b"}),
    "controller.extraEnv": (BASE, [{"name": "A", "value": "b"}]),
    "controller.extraVolumes": (BASE, [HELD]),
    "controller.extraVolumeMounts": (BASE, [{"name": "held", "mountPath": "/x"}]),
    "podDisruptionBudget.enabled": (BASE, False),
    "serviceAccount.create": (BASE, False),
    "serviceAccount.name": (BASE, "other"),
    "serviceAccount.annotations": (BASE, {"a": "b"}),
    "serviceAccount.automount": (BASE, False),
    "rbac.create": (BASE, False),
    "rbac.aggregate": (BASE, False),
    "networkPolicy.enabled": (BASE, False),
    "networkPolicy.hooksFrom": (BASE, [{"podSelector": {}}]),
    "networkPolicy.metricsFrom": (BASE, [{"podSelector": {}}]),
    "metricsService.type": (BASE, "NodePort"),
    "serviceMonitor.enabled": (BASE, True),
    "serviceMonitor.interval": (MONITORED, "1m"),
    "serviceMonitor.labels": (MONITORED, {"a": "b"}),
    "kubeStateMetrics.enabled": (BASE, False),
    "admission.deletionProtection.enabled": (BASE, False),
    "admission.tenants.enabled": (BASE, True),
    "controller.manager.image": (mixed(BASE, at("image.repository", "")), {"repository": "theirs"}),
}
"""Each value: an installation that has use for it, and something else to say."""
ONLY_REFUSED = {"controller.manager.args", "metricsService.ports", "vault", f"{VAULT}.auto", "config.auth.multi.setup"}
"""Names of upstream's chart that are taken in order to be refused in words of their own (test_refusals)."""


def test_the_table_is_whole():
    assert {value.path for value in VALUES} == set(CHANGED) | ONLY_REFUSED


def applied(values) -> dict[str, str] | None:
    """What is applied, notes and all left out; None where the chart refuses."""
    if refusal(values):
        return None
    return {file: text for file, text in rendered(values).items() if not file.endswith("NOTES.txt")}


@pytest.mark.sweep
@pytest.mark.parametrize("path", CHANGED)
def test_case_109_a_value_that_is_changed_changes_what_is_applied(path):
    values, other = CHANGED[path]
    changed = applied(mixed(values, at(path, other)))
    assert changed is not None
    assert changed != applied(values)


def container(found):
    return only("Deployment", found)["spec"]["template"]["spec"]["containers"][0]


def given(found) -> tuple[dict, dict, dict]:
    """What the process is given: ConfigMap, files of its Secrets (those of others made up), environment."""
    config = next(
        (item["data"] for item in found if item["kind"] == "ConfigMap" and "config.yaml" not in item["data"]), {}
    )
    secret: dict[str, str] = {}
    made = {item["metadata"]["name"]: item["stringData"] for item in found if item["kind"] == "Secret"}
    volumes = {v["name"]: v for v in only("Deployment", found)["spec"]["template"]["spec"]["volumes"]}
    for source in volumes.get("secret", {}).get("projected", {}).get("sources", []):
        whole = made.get(source["secret"]["name"], EXISTING)
        paths = {item["path"]: f"made-up-{item['key']}-0123456789" for item in source["secret"].get("items", [])}
        secret |= paths or whole
    return config, secret, {e["name"]: e["value"] for e in container(found)["env"]}


EXISTING = dict.fromkeys(("client-id", "client-secret", "role-id", "role-secret"), "made-up")


@pytest.mark.parametrize("mode", MODES)
def test_case_109_the_process_reads_all_that_the_chart_writes(mode):
    found = objects(MODES[mode])
    loaded = Settings.load(*given(found))
    assert loaded.faults == ()
    assert loaded.warnings == ()


@pytest.mark.parametrize("mode", MODES)
def test_the_arguments_are_those_of_the_command_and_every_directory_is_mounted(mode):
    found = objects(MODES[mode])
    command, *words = container(found)["args"]
    assert command == "serve"
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    said = parser.parse_args(words)
    assert said.host != "127.0.0.1"
    mounts = {mount["mountPath"] for mount in container(found)["volumeMounts"]}
    paths = [said.config_dir, said.secret_dir, said.tls_dir, said.client_ca_file and said.client_ca_file.parent]
    assert {str(path) for path in paths if path} <= mounts
    names = {mount["name"] for mount in container(found)["volumeMounts"]}
    assert names == {v["name"] for v in only("Deployment", found)["spec"]["template"]["spec"]["volumes"]}
    assert not [mount for mount in container(found)["volumeMounts"] if "subPath" in mount]


def settings_of(values) -> Settings:
    loaded = Settings.load(*given(objects(values)))
    assert loaded.settings is not None, loaded.faults
    return loaded.settings


def test_the_vault_is_the_one_of_the_values():
    said = settings_of(MODES["approle from secrets"])
    assert said.vault_enabled
    assert (said.vault_address, said.kv_mount, said.kv_prefix) == ("https://vault.example:8200", "kv", "aruba")
    assert (said.role_namespace, said.role_id) == ("platform", "made-up-id-0123456789")
    assert settings_of(MODES["kubernetes"]).vault_ca_file == "/etc/aruba/vault-ca/ca.crt"


def test_settings_arrive_as_they_were_meant():
    said = settings_of(MODES["on"])
    assert (said.rate_limit, said.body_limit, said.replicas) == (20.0, 67108864, 3)
    assert said.listing_age == timedelta(minutes=10)
    assert said.tenant_policy == "namespace"
    off = mixed(BASE, {"settings": {"suspend": False, "rate-limit": 0.5}})
    assert (settings_of(off).suspend, settings_of(off).rate_limit) == ("false", 0.5)


def test_one_replica_counts_itself_even_when_there_is_none():
    assert settings_of(MODES["stopped"]).replicas == 1


@pytest.mark.parametrize("key", SETTINGS)
def test_every_other_setting_has_a_place_and_the_words_that_the_process_takes(key):
    words = SETTINGS[key].get("enum") or [WORDS.get(key, "5m")]
    for word in words:
        said = settings_of(mixed(BASE, {"settings": {key: word}}))
        assert getattr(said, key.replace("-", "_")) is not None
    if "enum" in SETTINGS[key]:
        assert Settings.load({key: "nonsense", **EXISTING}, {}, {}).faults


WORDS = {
    "rate-limit": 10,
    "body-limit": 1024,
    "in-flight": 5,
    "cluster-name": "c",
    "vault-jwt-file": "/token",
    "credentials-kept": "2h",
}


def test_what_is_read_once_makes_new_pods_and_nothing_else_does():
    """A restart for a setting that is read again would be a rollout for nothing (docs/reference/settings.md)."""

    def pod(values):
        return only("Deployment", objects(values))["spec"]["template"]

    for key, schema in SETTINGS.items():
        word = (schema.get("enum") or [WORDS.get(key, "5m")])[0]
        changed = pod(mixed(BASE, {"settings": {key: word}})) != pod(BASE)
        assert changed == (key in AT_START), key
    page = (
        (TOP / "docs" / "reference" / "settings.md").read_text().partition("without a restart;")[2].partition("\n\n")[0]
    )
    named = set(page.split("`")[1::2])
    assert named == {*AT_START, "replicas", "hook-auth"}
    assert pod(mixed(BASE, at("config.gateway", "https://api.example"))) == pod(BASE)
    assert "annotations" not in pod(BASE)["metadata"]


def test_what_the_templates_read_once_is_the_same_list():
    from tests.helm.charted import CHART

    text = (CHART / "templates" / "_helpers.tpl").read_text().partition('define "aruba.atStart"')[2]
    assert tuple(text.partition("{{ list ")[2].partition("|")[0].replace('"', "").split()) == AT_START


def test_of_a_file_twice_the_token_of_the_callers_is_last():
    sources = [
        source["secret"]["name"]
        for volume in only("Deployment", objects(BASE))["spec"]["template"]["spec"]["volumes"]
        for source in volume.get("projected", {}).get("sources", [])
    ]
    assert sources == ["aruba-keys", "hook-token"]


def test_while_a_token_is_replaced_the_hooks_read_a_key_with_both():
    found = objects(mixed(BASE, at("hookAuth.token.acceptedKey", "accepted")))
    (source,) = [
        s
        for v in only("Deployment", found)["spec"]["template"]["spec"]["volumes"]
        if v["name"] == "secret"
        for s in v["projected"]["sources"]
        if s["secret"]["name"] == "hook-token"
    ]
    assert source["secret"]["items"] == [{"key": "accepted", "path": "hook-token"}]
    hook = next(i for i in found if i["kind"] == "CompositeController")["spec"]["hooks"]["sync"]["webhook"]
    assert hook["authorization"]["secretRef"]["key"] == "token"


@pytest.mark.parametrize("mode", MODES)
def test_no_secret_of_the_values_stands_anywhere_but_in_the_secret(mode):
    for item in objects(MODES[mode]):
        if item["kind"] != "Secret":
            assert "not-a-secret" not in str(item)
    assert (
        len([i for i in objects(MODES["keys in values"]) if i["kind"] == "Secret" and i["metadata"]["name"] == NAME])
        == 1
    )
