"""Settings of a served process: named when they are wrong, waited for where files may still change (cases 103)."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request

from tests.serve.process import PAIR, Serve


def test_case_103_wrong_settings_are_named_and_waited_for(tmp_path, started):
    """Case 103, as interfaces.md has it: one line a fault, /readyz lists them, no default takes the place of one; put
    right, it serves without a restart. Departs: it does not exit, since mounted files may change.
    """
    serve = Serve(tmp_path, secret={"client-id": "only-half"})
    started.append(serve)
    wrong = {"phase-timeout": "banana", "listing-age": "-5s", "api-gateway": "no-scheme", "mode": "watch"}
    for key, text in wrong.items():
        (serve.config / key).write_text(text)
    lines = serve.until(lambda: [line for line in serve.lines if line.startswith("serve: waiting")] and serve.lines)
    named = [line.partition(":")[0] for line in lines if not line.startswith("serve:")]
    assert named == ["api-gateway", "mode", "phase-timeout", "listing-age", "client-secret"]
    for key in wrong:
        (serve.config / key).unlink()
    for key, text in PAIR.items():
        (serve.secret / key).write_text(text)
    serve.serving()
    assert serve.ready().status == 200
    (serve.config / "listing-age").write_text("soon")
    assert serve.ready().status == 200
    (note,) = serve.ready().json["notes"]
    assert note.startswith("listing-age: 'soon' (file listing-age): ")


def test_while_it_waits_it_lives_says_why_and_can_be_stopped(tmp_path, started):
    serve = Serve(tmp_path, "--port", str(port := free()), secret={})
    started.append(serve)
    serve.until(lambda: any(line.startswith("serve: waiting") for line in serve.lines))
    here = f"http://127.0.0.1:{port}"
    serve.until(lambda: got(f"{here}/healthz")[0] == 200)
    status, told = got(f"{here}/readyz")
    assert status == 503
    assert told["reasons"][0] == "no valid settings yet"
    assert [reason.partition(":")[0] for reason in told["reasons"][1:]] == ["client-id", "client-secret"]
    status, told = got(f"{here}/v2/vpcs/sync", b"{}")
    assert (status, set(told)) == (503, {"error", "hint"})


def test_without_files_that_could_change_it_ends_with_one_line_a_fault(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hooks", "serve", "--port", "0"],
        env={"ARUBA_PHASE_TIMEOUT": "banana", "ARUBA_CLIENT_ID": "id", "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["phase-timeout", "client-secret"]


def test_client_certificates_without_tls_are_refused(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hooks", "serve", "--client-ca-file", "/ca.pem"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--tls-dir" in done.stderr


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def got(url: str, data: bytes | None = None):
    try:
        with urllib.request.urlopen(url, data=data, timeout=5) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.loads(refusal.read())
    except OSError:
        return 0, {}
