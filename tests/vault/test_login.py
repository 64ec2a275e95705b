"""Logging in and reading, at every mount and in every way that the settings can name (cases 71)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme

from hooks.aruba.credentials import vault
from hooks.aruba.credentials.access import Access
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.vaulted import Found, Vaulted
from hooks.settings import Settings
from hooks.stack.sources import access
from tests.vault.ahead import Ahead
from tests.vault.bao import Bao
from tests.vault.front import Front, front
from tests.vault.place import Place
from tests.vault.review import reviewer

PAIR = Credential("id-100", "secret-100")


def vaulted(access: Access, clock: Ahead | None = None) -> Vaulted:
    return Vaulted(vault, lambda: access, clock or Ahead())


@pytest.mark.parametrize("mount", ["kv", "team/kv"])
@pytest.mark.parametrize("path", ["approle", "auth/custom"])
@pytest.mark.parametrize("namespace", ["", "ns"])
@pytest.mark.parametrize("prefix", ["", "aruba/prod"])
def test_case_71_every_mount_path_and_namespace(
    bao: Bao, numbers: Iterator[int], mount: str, path: str, namespace: str, prefix: str
) -> None:
    number = next(numbers)
    place = Place(bao, f"{mount}{number}", f"{path}{number}", prefix, namespace and f"{namespace}{number}").furnish()
    place.put("t-100", "id-100", "secret-100")
    with front(bao.url) as before:
        look = vaulted(place.access(before.url)).look("t-100")
        assert look == (Found.OK, PAIR, "")
        inside = f"{prefix}/" if prefix else ""
        assert before.paths() == [
            f"/v1/auth/{path}{number}/login",
            f"/v1/{mount}{number}/data/{inside}t-100",
        ]
        assert {seen.namespace for seen in before.seen} == {place.namespace}
        missing = vaulted(place.access(before.url)).look("t-300")
        assert missing.found is Found.MISSING
        assert f"there is no secret {mount}{number}/{inside}t-300" in missing.text
        assert f"in namespace {place.namespace}" in missing.text or not namespace
        assert "secret-100" not in missing.text


def test_case_71_a_wrong_path_of_the_role_is_named(place: Place) -> None:
    look = vaulted(replace(place.access(), auth_path="elsewhere")).look("t-100")
    assert look.found is Found.REFUSED
    assert "the login at auth/elsewhere is refused" in look.text


@pytest.mark.parametrize("key", ["role-secret", "secret-id"])
def test_both_names_of_the_secret_id_are_read(place: Place, key: str) -> None:
    environ = place.environ()
    secret = {"role-id": place.role_id, key: environ.pop("ARUBA_ROLE_SECRET")}
    loaded = Settings.load({}, secret, environ)
    assert loaded.settings is not None, loaded.faults
    assert vaulted(access(loaded.settings)).look("t-100").credential == PAIR


def test_the_operator_takes_no_token_from_its_surroundings(
    place: Place, before: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".vault-token").write_text("token-of-somebody")
    for name, value in {"HOME": str(tmp_path), "VAULT_TOKEN": "another", "VAULT_NAMESPACE": "elsewhere"}.items():
        monkeypatch.setenv(name, value)
    assert vaulted(place.access(before.url)).look("t-100").credential == PAIR
    assert before.seen[0].token == ""
    assert {seen.namespace for seen in before.seen} == {""}


def test_a_service_account_logs_in_without_any_secret_of_vaults(bao: Bao, place: Place, tmp_path: Path) -> None:
    jwt, other = (_jwt(uid) for uid in ("4711", "4712"))
    file = tmp_path / "token"
    with reviewer({jwt: ("aruba-system", "hooks")}) as url:
        path = f"kubernetes-{place.mount}"
        place.call("POST", f"sys/auth/{path}", {"type": "kubernetes"})
        config = {"kubernetes_host": url, "token_reviewer_jwt": jwt, "disable_local_ca_jwt": True}
        place.call(
            "POST", f"auth/{path}/config", config | {"kubernetes_ca_cert": trustme.CA().cert_pem.bytes().decode()}
        )
        place.call(
            "POST",
            f"auth/{path}/role/operator",
            {
                "bound_service_account_names": "hooks",
                "bound_service_account_namespaces": "aruba-system",
                "token_policies": [place.policy],
            },
        )
        file.write_text(jwt + "\n")
        by_account = {"auth": "kubernetes", "auth_path": path, "role": "operator", "jwt_file": str(file)}
        way = Access(bao.url, kv_mount=place.mount, **by_account)
        assert vaulted(way).look("t-100").credential == PAIR
        file.write_text(other)
        refused = vaulted(way).look("t-100")
        assert refused.found is Found.REFUSED
        assert f"the login at auth/{path} is refused" in refused.text
        file.unlink()
        assert "vault-jwt-file" in vaulted(way).look("t-100").text


def _jwt(uid: str) -> str:
    """A token of a service account, as far as Vault reads it before it asks Kubernetes."""
    account = {"name": "hooks", "uid": uid}
    claims = {
        "iss": "https://kubernetes.default.svc.cluster.local",
        "sub": "system:serviceaccount:aruba-system:hooks",
        "iat": 1767225600,
        "nbf": 1767225600,
        "exp": 4102444800,
        "kubernetes.io": {"namespace": "aruba-system", "serviceaccount": account},
    }
    return ".".join([_part({"alg": "RS256", "typ": "JWT"}), _part(claims), "c2lnbmVk"])


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_a_token_file_is_read_again_when_an_agent_replaces_it(bao: Bao, place: Place, tmp_path: Path) -> None:
    file = tmp_path / "token"
    one, other = (_token(place) for _ in range(2))
    file.write_text(one + "\n")
    held = vaulted(Access(bao.url, kv_mount=place.mount, auth="token", token_file=str(file)))
    assert held.look("t-100").credential == PAIR
    bao.call("POST", "auth/token/revoke", {"token": one})
    ended = held.look("t-100")
    assert ended.found is Found.REFUSED
    assert "the token in vault-token-file is not valid any more" in ended.text
    file.write_text(other)
    assert held.look("t-100").credential == PAIR
    place.allow("t-200")
    denied = held.look("t-100")
    assert denied.found is Found.DENIED
    assert "no permission to read" in denied.text


def _token(place: Place) -> str:
    made = place.call("POST", "auth/token/create", {"policies": [place.policy], "ttl": "1h"})
    return str(made["auth"]["client_token"])


@pytest.mark.parametrize(("content", "words"), [(None, "cannot be read"), ("", "is empty")])
def test_a_token_file_that_will_not_do_is_named(place: Place, tmp_path: Path, content: str | None, words: str) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    look = vaulted(Access(place.bao.url, auth="token", token_file=str(file))).look("t-100")
    assert look.found is Found.REFUSED
    assert f"vault-token-file: {file} {words}" in look.text
