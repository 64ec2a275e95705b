from __future__ import annotations

from dataclasses import fields
from datetime import timedelta

import pytest

from hooks.settings import Settings

KEYS = {"client-id": "id", "client-secret": "s3cr3t"}


def load(config=None, secret=KEYS, **environ):
    return Settings.load(config or {}, secret, environ)


def test_defaults_are_the_promised_ones():
    made, faults, warnings = load()
    assert (faults, warnings) == ((), ())
    assert made.api_gateway == "https://api.arubacloud.com"
    assert made.token_url == "https://login.aruba.it/auth/realms/cmp-new-apikey/protocol/openid-connect/token"
    assert (made.client_id, made.client_secret) == ("id", "s3cr3t")
    assert (made.tenant_policy, made.reference_policy, made.mode) == ("any", "any", "manage")
    assert (made.role_path, made.kv_mount, made.kv_prefix, made.vault_enabled) == ("approle", "kv", "", False)
    assert (made.phase_timeout, made.propagation_window, made.listing_age) == (
        timedelta(minutes=10),
        timedelta(seconds=60),
        timedelta(seconds=300),
    )
    assert (made.rate_limit, made.replicas, made.body_limit) == (50.0, 1, 67_108_864)


def test_every_key_can_be_a_file_or_a_variable_and_the_file_wins():
    samples = {
        "vault_enabled": "false", "tenant_policy": "any", "reference_policy": "any", "mode": "manage",
        "phase_timeout": "7m", "propagation_window": "9s", "listing_age": "8s", "rate_limit": "7/s", "replicas": "3",
        "body_limit": "99", "in_flight": "5", "log_level": "debug", "api_gateway": "https://x.example/y",
        "keycloak_url": "https://x.example/auth", "vault_address": "https://x.example",
        "adoption_policy": "if-unowned", "delete_policy": "orphan", "on_external_delete": "report",
        "drift_policy": "report", "suspend": "true", "deletion_protection": "true", "vault_auth": "approle",
        "vault_jwt_file": "/jwt", "vault_token_file": "/token", "vault_ca_file": "/ca.crt", "hook_auth": "none",
        "hook_token": "a-token-of-sixteen\nanother-token-of-16", "credentials_age": "7s", "credentials_kept": "70m",
    }  # fmt: skip
    for spec in fields(Settings):
        text = samples.get(spec.name, "name")
        key, variable = spec.name.replace("_", "-"), "ARUBA_" + spec.name.upper()
        by_file = Settings.load({**KEYS, key: text}, {}, {variable: "%%% bad %%%"})
        by_variable = Settings.load({}, {}, {"ARUBA_CLIENT_ID": "id", "ARUBA_CLIENT_SECRET": "s", variable: text})
        for loaded in (by_file, by_variable):
            assert loaded.faults == loaded.warnings == ()
            assert getattr(loaded.settings, spec.name) == spec.metadata["parse"](text)


def test_files_end_in_newlines_and_urls_in_slashes():
    made = load({"api-gateway": "http://127.0.0.1:8000/\n"}, {"client-id": "id\n", "client-secret": " s \n"}).settings
    assert (made.api_gateway, made.client_id, made.client_secret) == ("http://127.0.0.1:8000", "id", "s")


def test_upstreams_names_for_the_vault_role_are_taken():
    assert load(ROLE_ID="r", ROLE_SECRET="s").settings.role_secret == "s"
    assert load({"secret-id": "x"}, ROLE_SECRET="s").settings.role_secret == "x"
    assert load(ARUBA_SECRET_ID="y", ROLE_SECRET="s").settings.role_secret == "y"
    assert load(LOG_LEVEL="WARN").settings.log_level == "warn"


BAD = [
    ("api-gateway", "api.arubacloud.com", "expected a URL"),
    ("api-gateway", "https://", "expected a URL"),
    ("api-gateway", "https://user:pw@host", "expected a URL"),
    ("keycloak-url", "https://host/x?y=1", "expected a URL"),
    ("realm-api", "a b", "expected a path"),
    ("vault-enabled", "True", "expected one of true, false"),
    ("mode", "watch", "expected one of manage, observe"),
    ("tenant-policy", "none", "expected one of any, namespace"),
    ("reference-policy", "same", "expected one of any, same-tenant, granted"),
    ("phase-timeout", "banana", "is not a duration: write it like"),
    ("phase-timeout", "-10m", "is not a duration: write it like"),
    ("phase-timeout", "10", "is not a duration: write it like"),
    ("propagation-window", "500ms", "expected a duration of 1s or more"),
    ("listing-age", "0", "expected a duration of 1s or more"),
    ("rate-limit", "0", "expected requests per second above 0"),
    ("rate-limit", "-5", "expected requests per second above 0"),
    ("rate-limit", "nan", "expected requests per second above 0"),
    ("rate-limit", "50/m", "expected requests per second above 0"),
    ("replicas", "0", "expected a whole number from 1 to 1000"),
    ("replicas", "1.5", "expected a whole number from 1 to 1000"),
    ("replicas", "²", "expected a whole number from 1 to 1000"),
    ("log-level", "loud", "expected one of trace"),
]


@pytest.mark.parametrize(("key", "text", "expected"), BAD)
def test_a_bad_value_is_named_with_its_key_and_what_is_expected(key, text, expected):
    made, (line,), _ = load({key: text})
    assert made is None
    assert line.startswith(f"{key}: {text!r} (file {key}): ")
    assert expected in line
    assert "\n" not in line


def test_all_faults_are_told_at_once():
    made, faults, _ = load({"mode": "x", "replicas": "y"}, {}, ARUBA_RATE_LIMIT="z")
    assert made is None
    assert [line.split(":")[0] for line in faults] == ["mode", "rate-limit", "replicas", "client-id", "client-secret"]
    assert "(ARUBA_RATE_LIMIT)" in faults[1]


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_a_missing_credential_is_a_fault_that_says_where_it_goes(text):
    made, (line,), _ = load({}, {"client-id": "id", **({} if text is None else {"client-secret": text})})
    assert made is None
    assert line.startswith("client-secret: missing: expected")
    assert "ARUBA_CLIENT_SECRET" in line


def test_a_bad_secret_is_told_once_and_not_shown():
    _, faults, _ = load({}, {"client-id": "id", "client-secret": "s3cr3t\nsecond line"})
    assert faults == ("client-secret: (hidden) (file client-secret): expected one line of text",)


def test_secrets_are_not_in_a_repr():
    made = load({}, {**KEYS, "role-secret": "r0le", "role-id": "r1d"}).settings
    assert not any(word in repr(made) for word in ("s3cr3t", "r0le", "r1d"))


VAULT = {"vault-enabled": "true", "vault-address": "https://vault.example:8200"}


@pytest.mark.parametrize(
    ("config", "secret", "missing"),
    [
        ({}, {}, ["role-id", "role-secret"]),
        ({}, {"role-id": "r"}, ["role-secret"]),
        ({"vault-address": ""}, {"role-id": "r", "secret-id": "s"}, ["vault-address"]),
        ({"vault-auth": "kubernetes"}, {}, ["vault-role"]),
        ({"vault-auth": "token"}, {}, ["vault-token-file"]),
    ],
)
def test_each_way_into_vault_names_what_it_lacks(config, secret, missing):
    made, faults, _ = load({**VAULT, **config}, secret)
    assert made is None
    assert [fault.partition(":")[0] for fault in faults] == missing
    assert all("--config-dir" in fault or "--secret-dir" in fault for fault in faults)


@pytest.mark.parametrize(
    ("config", "secret", "path"),
    [
        ({}, {"role-id": "r", "role-secret": "s"}, "approle"),
        ({"role-path": "auth/custom"}, {"role-id": "r", "role-secret": "s"}, "auth/custom"),
        ({"vault-auth": "kubernetes", "vault-role": "aruba"}, {}, "kubernetes"),
        ({"vault-auth": "kubernetes", "vault-role": "aruba", "role-path": "k8s/prod"}, {}, "k8s/prod"),
        ({"vault-auth": "token", "vault-token-file": "/run/token"}, {}, "token"),
    ],
)
def test_vault_needs_no_api_key_in_the_settings(config, secret, path):
    made, faults, _ = load({**VAULT, **config}, secret)
    assert faults == ()
    assert (made.vault_enabled, made.auth_path) == (True, path)


@pytest.mark.parametrize(("key", "value"), [("kv-mount", "../sys"), ("kv-prefix", "a/../b"), ("role-path", "a b")])
def test_no_path_into_vault_leads_elsewhere(key, value):
    made, (line,), _ = load({key: value})
    assert made is None
    assert line.startswith(f"{key}: ")


def test_a_pair_is_not_kept_for_less_than_it_is_fresh():
    _, (line,), _ = load({"credentials-age": "2h"})
    assert line == "credentials-kept: shorter than credentials-age: expected the same or more"


@pytest.mark.parametrize("text", ["short", "a token with blanks in it", "good-enough-token-1\nbad one"])
def test_a_hook_token_that_is_easily_guessed_is_refused_and_not_shown(text):
    _, (line,), _ = load({}, {**KEYS, "hook-token": text})
    assert line.startswith("hook-token: (hidden) (file hook-token): expected one token a line")
    assert text not in line


def test_policies_of_an_installation_are_those_that_are_set():
    assert load({}, KEYS).settings.policies == {}
    made = load({"mode": "observe", "drift-policy": "report", "suspend": "false"}, KEYS).settings
    assert made.policies == {
        "arubacloud.com/drift-policy": "report",
        "arubacloud.com/suspend": "false",
        "arubacloud.com/mode": "observe",
    }
    _, (line,), _ = load({"adoption-policy": "perhaps"})
    assert line.startswith("adoption-policy: 'perhaps'")


def test_unknown_keys_warn_and_are_no_fault():
    made, faults, warnings = load({"api-gatway": "x", "zzz": "1"}, ARUBA_REPLICA="3", HOME="/root")
    assert made is not None
    assert faults == ()
    assert warnings == (
        "api-gatway: unknown key, ignored; did you mean api-gateway?",
        "zzz: unknown key, ignored",
        "ARUBA_REPLICA: unknown variable, ignored; did you mean ARUBA_REPLICAS?",
    )


def test_what_kubernetes_says_about_services_is_no_setting():
    names = ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTPS", "PORT", "PORT_443_TCP", "PORT_443_TCP_ADDR")
    assert load(**{f"ARUBA_CLOUD_OPERATOR_{name}": "x" for name in names}).warnings == ()
