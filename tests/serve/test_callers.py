"""Who can reach the hooks that `serve` offers, and where it listens: a real process, real TLS."""

from __future__ import annotations

import ssl

import pytest
import trustme

from tests.serve.certificates import install, trusting
from tests.serve.process import Serve

SYNC = "/v2/vpcs/sync"
ONE, TWO = "first-token-of-the-test", "second-token-of-the-test"


def test_case_19_a_token_is_asked_for_and_rotates_without_a_restart(tmp_path, started):
    """Case 19: none and a wrong one are 401; two at once while they change places; taken away, nobody is let in."""
    serve = Serve(tmp_path, secret={"hook-token": ONE, "client-id": "i", "client-secret": "s"})
    started.append(serve)
    serve.serving()
    assert [serve.ask(SYNC, token=token).status for token in ("", TWO)] == [401, 401]
    assert serve.ask(SYNC, token=ONE).status != 401
    (serve.secret / "hook-token").write_text(f"{ONE}\n{TWO}\n")
    assert 401 not in [serve.ask(SYNC, token=token).status for token in (ONE, TWO)]
    (serve.secret / "hook-token").write_text(f"{TWO}\n")
    assert serve.ask(SYNC, token=ONE).status == 401
    (serve.secret / "hook-token").write_text("too short\n")
    assert serve.ask(SYNC, token=TWO).status != 401, "the last good one stays in force"
    assert any(note.startswith("hook-token: (hidden)") for note in serve.ready().json["notes"])
    (serve.secret / "hook-token").unlink()
    assert [serve.ask(SYNC, token=token).status for token in ("", TWO)] == [401, 401]
    assert not any(token in line for token in (ONE, TWO) for line in serve.lines)


def test_certificates_are_read_again_when_they_change(tmp_path, started):
    """Missing at first: not ready, and no handshake. Then good, renewed, half renewed: the last good pair serves."""
    one, two = trustme.CA(), trustme.CA()
    serve = Serve(tmp_path, "--tls-dir", str(tmp_path / "tls"))
    started.append(serve)
    assert serve.serving()["url"].startswith("https://")
    assert serve.ask("/healthz", tls=trusting(one)).status == 0
    assert serve.ready().status == 503
    assert serve.ready().json["reasons"][0].startswith("TLS files missing: tls.crt, tls.key")
    assert serve.ask("/healthz", "watch").status == 200
    install(one, serve.tls)
    assert serve.ask("/healthz", tls=trusting(one)).status == 200
    assert serve.ready().status == 200
    install(two, serve.tls)
    assert serve.ask("/healthz", tls=trusting(two)).status == 200
    assert serve.ask("/healthz", tls=trusting(one)).status == 0
    (serve.tls / "tls.key").write_bytes(one.issue_cert("127.0.0.1").private_key_pem.bytes())
    assert serve.ask("/healthz", tls=trusting(two)).status == 200
    assert any(note.startswith("TLS files cannot be used") for note in serve.ready().json["notes"])
    (serve.tls / "tls.crt").unlink()
    assert serve.ask("/healthz", tls=trusting(two)).status == 200
    assert serve.ready().status == 200


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_case_19_only_callers_with_a_certificate_of_the_ca_are_let_in(tmp_path, started, newest):
    """Case 19: client certificates, with TLS 1.2 and 1.3; another CA's are refused, and so is the old one once the file
    names another. A token is asked for besides, where there is one.
    """
    servers, callers, others = trustme.CA(), trustme.CA(), trustme.CA()
    ca = tmp_path / "callers.pem"
    ca.write_bytes(callers.cert_pem.bytes())
    words = ["--tls-dir", str(tmp_path / "tls"), "--client-ca-file", str(ca)]
    serve = Serve(tmp_path, *words)
    started.append(serve)
    install(servers, serve.tls)
    assert serve.serving()["url"].startswith("https://")

    def status(own: trustme.CA | None, token: str = "") -> int:
        context = trusting(servers, own=own)
        context.maximum_version = newest
        return serve.ask(SYNC, tls=context, token=token).status

    assert status(None) == 0
    assert status(others) == 0
    assert status(callers) not in (0, 401)
    (serve.secret / "hook-token").write_text(ONE)
    assert (status(callers), status(callers, TWO), status(None, ONE)) == (401, 401, 0)
    assert status(callers, ONE) not in (0, 401)
    ca.write_bytes(others.cert_pem.bytes())
    assert (status(callers, ONE), status(others)) == (0, 401)
    assert status(others, ONE) not in (0, 401)


def test_bodies_are_bounded_in_size_and_depth(tmp_path, started):
    """Refused in words, at once, and the process lives."""
    serve = Serve(tmp_path, ARUBA_BODY_LIMIT="2000")
    started.append(serve)
    serve.serving()
    deep = b'{"parent": ' + b'{"a":' * 300 + b"1" + b"}" * 301
    for body, status in ((b"[" * 1500, 400), (deep, 400), (b" " * 2001, 413)):
        answer = serve.ask(SYNC, body=body)
        assert answer.status == status, answer
        assert set(answer.json) == {"error", "hint"}
    assert serve.ask("/healthz").status == 200
