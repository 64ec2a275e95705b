from __future__ import annotations

import asyncio
import base64
import os
import shutil
import ssl
import subprocess

import pytest
import yaml
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from hooks.http import AsyncClient, ConnectError
from hooks.kube import Unusable, connect
from hooks.kube.config import _Bearer
from hooks.kube.kubeconfig import read_kubeconfig
from tests.world.loopback import Loopback


def write(folder, cluster=None, user=None, **whole):
    cluster = {"server": "http://127.0.0.1:6443/", **(cluster or {})}
    content = {
        "current-context": "here",
        "contexts": [{"name": "other", "context": {}}, {"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user or {"token": "t-1"}}],
        **whole,
    }
    file = folder / "config"
    file.write_text(yaml.safe_dump(content))
    return file


async def authorization(client):
    """What a request of this client carries."""

    async def echo(request):
        return JSONResponse({"authorization": request.headers.get("authorization")})

    net = Loopback({client.base_url.host: Starlette(routes=[Route("/{path:path}", echo)])})
    async with AsyncClient(transport=net, base_url=client.base_url, auth=client.auth) as there:
        return (await there.get("/x")).json()["authorization"]


async def test_a_kubeconfig_gives_server_and_token(tmp_path):
    client = connect(write(tmp_path))
    assert str(client.base_url) == "http://127.0.0.1:6443"
    assert await authorization(client) == "Bearer t-1"


async def test_without_a_user_nothing_is_claimed(tmp_path):
    contexts = [{"name": "here", "context": {"cluster": "c"}}]
    assert await authorization(connect(write(tmp_path, contexts=contexts))) is None


def test_paths_are_relative_to_the_file_and_inline_data_wins(tmp_path):
    (tmp_path / "ca.pem").write_text("from the file")
    (tmp_path / "me.pem").write_text("cert")
    user = {"client-certificate": "me.pem", "client-key-data": base64.b64encode(b"key").decode(), "tokenFile": "tok"}
    access = read_kubeconfig(write(tmp_path, {"certificate-authority": "ca.pem"}, user))
    assert (access.authority, access.certificate, access.key) == ("from the file", b"cert", b"key")
    assert access.token == tmp_path / "tok"
    both = {"certificate-authority": "ca.pem", "certificate-authority-data": base64.b64encode(b"inline").decode()}
    assert read_kubeconfig(write(tmp_path, both)).authority == "inline"


def test_a_token_file_is_read_again_when_it_changes_and_kept_when_it_is_away(tmp_path):
    file, bearer = tmp_path / "token", _Bearer(tmp_path / "token")
    file.write_text("one\n")
    assert bearer._current() == "one"
    file.write_text("two\n")
    os.utime(file, ns=(1, 1))
    assert bearer._current() == "two"
    file.unlink()
    assert bearer._current() == "two"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"user": {"exec": {"command": "aws"}}}, "'exec' is not supported"),
        ({"user": {"auth-provider": {"name": "gcp"}}}, "'auth-provider' is not supported"),
        ({"user": {"username": "a", "password": "b"}}, "'username' is not supported"),
        ({"cluster": {"proxy-url": "http://p"}}, "'proxy-url' is not supported"),
        ({"cluster": {"server": "ftp://x"}}, "no server URL"),
        ({"cluster": {"certificate-authority": "none.pem"}}, "certificate-authority cannot be read"),
        ({"cluster": {"certificate-authority-data": "%%"}}, "certificate-authority cannot be read"),
        ({"current-context": ""}, "no context is chosen"),
        ({"current-context": "gone"}, "contexts has no entry named 'gone'"),
        ({"clusters": []}, "clusters has no entry named 'c'"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(tmp_path, change, said):
    file = write(tmp_path, **change)
    with pytest.raises(Unusable, match=said) as refused:
        connect(file)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("text", ["", "[1]", "{a: b: c}", "\x00"])
def test_a_file_that_is_no_kubeconfig_is_refused(tmp_path, text):
    (tmp_path / "config").write_text(text)
    with pytest.raises(Unusable):
        connect(tmp_path / "config")


def test_certificates_that_are_none_are_refused(tmp_path):
    bad = {"server": "https://127.0.0.1", "certificate-authority-data": base64.b64encode(b"hello").decode()}
    with pytest.raises(Unusable, match="the certificates for https"):
        connect(write(tmp_path, bad))


def test_outside_a_cluster_nothing_is_guessed(tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(write(tmp_path)))
    with pytest.raises(Unusable, match="pass --kubeconfig"):
        connect(None, {})
    with pytest.raises(Unusable, match="no service account at"):
        connect(None, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path / "nowhere")


async def test_inside_a_cluster_the_service_account_is_used(pki, tmp_path):
    (tmp_path / "token").write_text("sa-token")
    (tmp_path / "ca.crt").write_bytes(pki["server.pem"].read_bytes())
    environ = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443"}
    client = connect(None, environ, tmp_path)
    assert str(client.base_url) == "https://[fd00::1]:6443"
    assert await authorization(client) == "Bearer sa-token"


@pytest.fixture(scope="module")
def pki(tmp_path_factory):
    """Two self-signed identities, made on the spot."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("pki")
    for name in ("server", "client"):
        subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
        files = ["-keyout", f"{name}.key", "-out", f"{name}.pem"]
        make = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ]
        subprocess.run([*make, *subject, *files], cwd=folder, check=True, capture_output=True)
    return {path.name: path for path in folder.iterdir()}


async def _tls_server(pki, seen):
    """Answers every request, and keeps the name on the caller's certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=pki["client.pem"])
    context.load_cert_chain(pki["server.pem"], pki["server.key"])
    context.verify_mode = ssl.CERT_REQUIRED

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        seen.append(dict(part[0] for part in writer.get_extra_info("peercert")["subject"])["commonName"])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)


@pytest.mark.real_time
async def test_both_sides_prove_who_they_are(pki, tmp_path):
    seen = []
    server = await _tls_server(pki, seen)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    user = {"client-certificate": str(pki["client.pem"]), "client-key": str(pki["client.key"])}
    trusting = {"server": url, "certificate-authority": str(pki["server.pem"])}
    async with connect(write(tmp_path, trusting, user)) as client:
        assert (await client.get("/")).status_code == 200
    async with connect(write(tmp_path, {"server": url, "insecure-skip-tls-verify": True}, user)) as client:
        assert (await client.get("/")).status_code == 200
    async with connect(write(tmp_path, {"server": url}, user)) as client:
        with pytest.raises(ConnectError):
            await client.get("/")
    assert seen == ["client", "client"]
    server.close()
    await server.wait_closed()
