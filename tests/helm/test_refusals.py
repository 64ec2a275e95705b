"""What cannot work is refused before anything is applied, all of it at once, with the value and what to do."""

from __future__ import annotations

import pytest

from tests.helm.charted import BASE, CLIENT, IMAGE, KEYS, PEM, TLS, TOKEN, at, mixed, refusal, rendered, vault

ROLE = {"roleId": "r", "roleSecret": "s"}


def test_without_a_word_it_asks_for_image_callers_and_credentials_at_once():
    said = refusal({})
    assert "make image" in said
    assert "image.repository is required" in said
    assert "hookAuth: say who may call the hooks" in said
    assert "config.auth.single: clientId and clientSecret missing" in said


REFUSED = {
    "no image": (mixed(TOKEN, KEYS), "image.repository is required"),
    "no callers": (mixed(IMAGE, KEYS), "hookAuth: say who may call the hooks"),
    "open and token": (mixed(BASE, at("hookAuth.mode", "none")), "hookAuth.mode: none lets everybody in"),
    "certificate without tls": (mixed(BASE, CLIENT), "hookAuth.clientCertificate needs TLS"),
    "certificate without ca": (
        mixed(mixed(BASE, TLS), at("hookAuth.clientCertificate.existingSecret", "c")),
        "hookAuth.clientCertificate: both are needed",
    ),
    "ca without certificate": (
        mixed(mixed(BASE, TLS), at("hookAuth.clientCertificate.ca.secret", "c")),
        "hookAuth.clientCertificate: both are needed",
    ),
    "two cas": (
        mixed(mixed(mixed(BASE, TLS), CLIENT), at("hookAuth.clientCertificate.ca.secret", "c")),
        "hookAuth.clientCertificate.ca: configMap and secret are both given",
    ),
    "ca without tls": (mixed(BASE, at("tls.ca", PEM)), "tls.ca is given without tls.existingSecret"),
    "ca that is none": (mixed(mixed(BASE, TLS), at("tls.ca", "ca.crt")), "tls.ca: expected certificates in PEM"),
    "accepted key alone": (
        mixed(mixed(mixed(IMAGE, KEYS), at("hookAuth.mode", "none")), at("hookAuth.token.acceptedKey", "all")),
        "hookAuth.token.acceptedKey is given without",
    ),
    "id alone": (
        mixed(mixed(IMAGE, TOKEN), at("config.auth.single.clientId", "i")),
        "config.auth.single: clientSecret missing",
    ),
    "secret alone": (
        mixed(mixed(IMAGE, TOKEN), at("config.auth.single.clientSecret", "s")),
        "config.auth.single: clientId missing",
    ),
    "both ways": (mixed(BASE, at("config.auth.single.clientId", "i")), "are both given: keep one of the two"),
    "no vault": (vault(address="", **ROLE), "config.auth.multi.vault.address missing"),
    "no role_id": (vault(roleSecret="s"), "the role_id is missing"),
    "no secret_id": (vault(roleId="r"), "the secret_id is missing"),
    "no role": (vault(auth="kubernetes"), "config.auth.multi.vault.role missing"),
    "no token file": (vault(auth="token"), "config.auth.multi.vault.tokenFile missing"),
    "setting nobody reads": (
        mixed(BASE, {"config": {"existingConfigMap": "c"}, "settings": {"mode": "observe"}}),
        "settings.mode: with config.existingConfigMap the chart makes no ConfigMap",
    ),
    "the Go operator's image": (
        mixed(mixed(TOKEN, KEYS), at("controller.manager.image.repository", "ghcr.io/a/arubacloud-resource-operator")),
        "is the Go operator's image",
    ),
    "the Go operator's words": (
        mixed(BASE, at("controller.manager.args", ["--leader-elect"])),
        "controller.manager.args",
    ),
    "ports of another kind": (mixed(BASE, at("metricsService.ports", [{"port": 8443}])), "metricsService.ports"),
    "a vault of its own": (mixed(BASE, at("vault.enabled", True)), "this chart brings no Vault"),
    "set up by itself": (mixed(vault(**ROLE), at("config.auth.multi.setup", "auto")), "this chart brings no Vault"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_one_sentence(case):
    values, says = REFUSED[case]
    said = refusal(values)
    assert says in said
    assert said.count("\n- ") == 1, said


MISSPELT = [
    ("replicas", 3),
    ("controller.replica", 3),
    ("config.auth.multi.vault.kvmount", "kv"),
    ("settings.tenant_policy", "namespace"),
    ("settings.hook-token", "0123456789abcdef"),
    ("hookAuth.token.secret", "x"),
    ("admission.tenant", True),
]
WRONG = [
    ("controller.replicas", "two"),
    ("controller.replicas", -1),
    ("config.auth.mode", "direct"),
    ("config.gateway", "api.arubacloud.com"),
    ("settings.mode", "watch"),
    ("hookAuth.mode", "off"),
    ("hookAuth.edition", "2&x=1"),
    ("tls.existingSecret", "Not A Name"),
    ("image.digest", "latest"),
    ("compositeControllers.resyncPeriodSeconds", 3600),
]


@pytest.mark.parametrize(("path", "value"), MISSPELT)
def test_a_name_that_nobody_reads_is_refused(path, value):
    said = refusal(mixed(BASE, at(path, value)))
    assert "additional properties" in said.lower()
    assert path.rpartition(".")[2] in said


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_a_value_of_the_wrong_kind_is_refused_by_name(path, value):
    said = refusal(mixed(BASE, at(path, value)))
    assert path.replace(".", "/") in said, said


@pytest.mark.parametrize(
    "path", ["image", "controller", "config.auth.multi", "hookAuth.clientCertificate.ca", "config.gateway"]
)
def test_a_section_left_empty_is_missed_by_name(path):
    """`image:` with nothing below it is a null, which takes the defaults away."""
    said = refusal(mixed(BASE, at(path, None)))
    assert f"missing property '{path.rpartition('.')[2]}'" in said


@pytest.mark.parametrize("path", ["settings", "controller.nodeSelector", "controller.tolerations", "image.pullSecrets"])
def test_a_list_or_mapping_may_be_left_empty(path):
    assert refusal(mixed(BASE, at(path, None))) == ""


def test_rendering_alone_holds_values_against_the_schema_too():
    """`helm template` must refuse a typo, not only `helm lint`."""
    import helm_python

    from tests.helm.charted import loaded

    with pytest.raises(helm_python.HelmError, match="additional properties"):
        loaded().render(mixed(BASE, {"replicas": 3}), name="aruba", namespace="aruba-system")


def test_what_is_right_is_rendered():
    assert rendered(BASE)
