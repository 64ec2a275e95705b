"""Vault behind TLS: a private CA is accepted where `vault-ca-file` names it, and nothing else is (cases 71)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme

from hooks.aruba.credentials import vault
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.vaulted import Found, Look, Vaulted
from tests.vault import bao as server
from tests.vault.ahead import Ahead
from tests.vault.bao import Bao
from tests.vault.place import Place

PAIR = Credential("id-100", "secret-100")


class Safe(NamedTuple):
    bao: Bao
    place: Place
    folder: Path


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Safe]:
    """A server with a certificate of a private CA, initialised and unsealed like a real one."""
    server.needed()
    folder = tmp_path_factory.mktemp("tls")
    ca = trustme.CA()
    certificate = ca.issue_cert("127.0.0.1")
    ca.cert_pem.write_to_path(str(folder / "ca.crt"))
    trustme.CA().cert_pem.write_to_path(str(folder / "foreign.crt"))
    (folder / "none.crt").write_text("no certificate")
    certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "tls.crt"))
    certificate.private_key_pem.write_to_path(str(folder / "tls.key"))
    with server.with_tls(folder, folder / "tls.crt", folder / "tls.key", folder / "ca.crt") as bao:
        place = Place(bao, "kv", "approle").furnish()
        place.put("t-100", "id-100", "secret-100")
        yield Safe(bao, place, folder)


def look(safe: Safe, ca: str, address: str = "") -> Look:
    way = safe.place.access(address, ca_file=str(safe.folder / ca) if ca else "")
    return Vaulted(vault, lambda: way, Ahead()).look("t-100")


def test_the_named_ca_is_accepted(safe: Safe) -> None:
    assert look(safe, "ca.crt").credential == PAIR


@pytest.mark.parametrize("ca", ["foreign.crt", ""])
def test_any_other_is_refused_and_the_setting_is_named(safe: Safe, ca: str) -> None:
    found = look(safe, ca)
    assert found.found is Found.DOWN
    assert "its certificate is not accepted (vault-ca-file): " in found.text
    assert "CERTIFICATE_VERIFY_FAILED" in found.text


def test_the_surroundings_do_not_choose_the_ca(safe: Safe, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "VAULT_CACERT", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(safe.folder / "ca.crt"))
    assert look(safe, "").found is Found.DOWN


@pytest.mark.parametrize("ca", ["absent.crt", "none.crt"])
def test_a_ca_file_that_will_not_do_is_named(safe: Safe, ca: str) -> None:
    found = look(safe, ca)
    assert found.found is Found.DOWN
    assert "vault-ca-file" in found.text


def test_a_certificate_of_another_name_is_refused(safe: Safe) -> None:
    found = look(safe, "ca.crt", safe.bao.url.replace("127.0.0.1", "localhost"))
    assert found.found is Found.DOWN
    assert "vault-ca-file" in found.text
    assert "localhost" in found.text


def test_plain_http_to_its_port_says_what_is_wrong(safe: Safe) -> None:
    found = look(safe, "ca.crt", safe.bao.url.replace("https", "http"))
    assert found.found is Found.DOWN
    assert "HTTP request to an HTTPS server" in found.text


def test_a_ca_that_is_exchanged_counts_at_the_next_call(safe: Safe, tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    file.write_bytes((safe.folder / "foreign.crt").read_bytes())
    way = safe.place.access(ca_file=str(file))
    clock = Ahead()
    held = Vaulted(vault, lambda: way, clock)
    assert held.look("t-100").found is Found.DOWN
    file.write_bytes(file.read_bytes() + (safe.folder / "ca.crt").read_bytes())
    clock.off += 3
    assert held.look("t-100").credential == PAIR
