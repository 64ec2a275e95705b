"""The audit finds what is wrong, and never takes silence for a clean bill."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.supply import known, offline
from tests.supply.audit import ASKED, audit
from tests.supply.installed import Installed, licence, look
from tests.supply.pins import IMAGE

ROOT = Path(__file__).parents[2]
DEAF = ("", "Traceback\nConnectionError: could not resolve osv.example\n")


def here(name):
    """What is installed; parts of the audit's own list, which the tests do not need, count as installed well: a virtual
    environment brings a pip of its own, of another version than the one that is pinned there.
    """
    listed = {pinned.file: {pin.name: pin.version for pin in pinned.pins} for pinned in offline.lists(ROOT)}
    if name not in listed["test.txt"] and name in listed["audit.txt"]:
        return Installed(listed["audit.txt"][name], "MIT", "", ())
    return look(name)


def asked():
    """All names that are asked for."""
    listed = [pinned for pinned in offline.lists(ROOT) if pinned.file.removesuffix(".txt") in ASKED]
    return {pin.name: pin.version for pinned in listed for pin in pinned.pins if pin.wanted({}) or pin.wanted(IMAGE)}


def answer(vulnerable=(), skipped=()):
    told = [
        {"name": name, "skip_reason": "not found"}
        if name in skipped
        else {"name": name, "version": version, "vulns": [FLAW] if name in vulnerable else []}
        for name, version in asked().items()
    ]
    return json.dumps({"dependencies": told, "fixes": []}), ""


FLAW = {"id": "PYSEC-2026-1", "fix_versions": ["9.9"], "aliases": ["CVE-2026-1"], "description": "bad"}


def tell(capsys, answers, look=here, **environ):
    """Exit code, the output's lines and the command lines that were run, with one answer after the other."""
    ran = []

    def run(words):
        ran.append(words)
        return answers[len(ran) - 1]

    code = audit(ROOT, environ, look, run)
    return code, capsys.readouterr().out.splitlines(), ran


def test_the_lists_of_this_repository_are_in_order():
    assert offline.faults(ROOT, offline.lists(ROOT), here) == []


def test_no_list_names_an_index():
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        assert "://" not in path.read_text("utf-8"), path


def test_all_checked_and_nothing_known(capsys):
    code, lines, ran = tell(capsys, [answer()])
    assert (code, len(ran)) == (0, 1)
    assert lines[-1] == f"audit: pins ok; no known vulnerabilities in {len(asked())} distributions"
    assert "--disable-pip" in ran[0]
    assert str(ROOT / "requirements" / "runtime.txt") in ran[0]


def test_a_known_vulnerability_fails_it_and_is_named_with_its_fix(capsys):
    code, lines, _ = tell(capsys, [answer(vulnerable={"starlette"})])
    assert code == 1
    assert f"FOUND starlette {asked()['starlette']}: PYSEC-2026-1, CVE-2026-1; fixed in 9.9" in lines
    assert lines[-1] == "audit: pins ok; 1 known vulnerabilities"


@pytest.mark.parametrize(("strict", "code"), [("", 0), ("0", 0), ("1", 1)])
def test_what_no_service_answers_is_said_in_the_last_line(capsys, strict, code):
    got, lines, ran = tell(capsys, [DEAF, DEAF], AUDIT_STRICT=strict)
    assert (got, len(ran)) == (code, 2)
    number = len(asked())
    assert lines[-1] == (
        f"audit: pins ok; vulnerabilities NOT checked: {number} of {number} distributions;"
        " PyPI: ConnectionError: could not resolve osv.example"
    )
    assert any("to check: run `make audit` where" in line for line in lines)


def test_what_a_mirror_does_not_know_is_not_checked_though_pip_audit_ends_well(capsys):
    code, lines, _ = tell(capsys, [answer(skipped=set(asked())), DEAF])
    number = len(asked())
    assert code == 0
    assert f"NOT CHECKED for known vulnerabilities: {number} of {number} distributions (all)" in lines
    assert "vulnerabilities NOT checked" in lines[-1]


def test_a_second_service_is_asked_for_what_the_first_did_not_know(capsys):
    code, lines, ran = tell(capsys, [answer(skipped={"anyio", "h11"}), answer(vulnerable={"h11"})])
    assert (code, len(ran)) == (1, 2)
    assert lines[-1] == "audit: pins ok; 1 known vulnerabilities"


def test_one_that_stays_unknown_is_named(capsys):
    code, lines, _ = tell(capsys, [answer(skipped={"anyio"}), DEAF], AUDIT_STRICT="1")
    assert code == 1
    assert any(line.endswith("distributions (anyio)") for line in lines)


def test_an_answer_without_one_of_the_names_does_not_count_for_it(capsys):
    told = json.loads(answer()[0])
    told["dependencies"] = [entry for entry in told["dependencies"] if entry["name"] != "uvicorn"]
    _, lines, _ = tell(capsys, [(json.dumps(told), ""), DEAF])
    assert lines[-1].startswith("audit: pins ok; vulnerabilities NOT checked: 1 of ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": "0.0"}, "but 0.0 is installed"),
        ({"licence": ""}, "names no licence that is known"),
        ({"licence": "GPL-3.0-only"}, "has licence GPL-3.0-only, which is not among"),
        ({"python": ">=3.12"}, "needs Python >=3.12, and 3.11 is promised"),
        (None, "is pinned and not installed here"),
    ],
)
def test_what_is_wrong_with_an_installed_one_is_told(capsys, change, words):
    def odd(name):
        found = here(name)
        kept = {"version": found.version, "licence": found.licence, "python": found.python, "needs": ()}
        return found if name != "h11" else change if change is None else Installed(**{**kept, **change})

    code, lines, _ = tell(capsys, [answer()], look=odd)
    assert code == 1
    assert any(line.startswith("WRONG h11 ") and words in line for line in lines), lines
    assert lines[-1].startswith("audit: pins WRONG; no known vulnerabilities")


def copy(tmp_path, change):
    """This repository's lists, one of them changed."""
    (tmp_path / "requirements").mkdir()
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text("utf-8")
        (tmp_path / "requirements" / path.name).write_text(change(path.name, text), "utf-8")
    return tmp_path


def test_lists_that_disagree_are_told(tmp_path):
    def change(name, text):
        return re.sub(r"^anyio==\S+", "anyio==99.0", text, flags=re.MULTILINE) if name == "runtime.txt" else text

    found = offline.faults(root := copy(tmp_path, change), offline.lists(root), here)
    assert any(line.startswith("local.txt: anyio is ") and line.endswith("and 99.0 in runtime.txt") for line in found)


def test_a_dependency_that_the_list_lacks_or_holds_too_old_is_told(tmp_path):
    def change(name, text):
        text = re.sub(r"^hvac==(.*\n)( +--hash.*\n)+", "", text, flags=re.MULTILINE)
        return re.sub(r"^anyio==\S+", "anyio==1.0", text, flags=re.MULTILINE)

    found = offline.faults(root := copy(tmp_path, change), offline.lists(root), here)
    assert "runtime.txt: hvac is wanted by pyproject.toml and not listed: run `make requirements`" in found
    assert "runtime.txt: anyio 1.0 is not >=4.16, as pyproject.toml has it" in found


def test_a_list_that_cannot_be_read_is_not_sent_to_anyone(tmp_path, capsys):
    root = copy(tmp_path, lambda name, text: text + "surprise\n" if name == "test.txt" else text)
    assert audit(root, {}, here, lambda words: pytest.fail("asked")) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("audit: pins WRONG; vulnerabilities NOT checked")


@pytest.mark.parametrize(
    ("offered", "name"),
    [
        (["MIT"], "MIT"),
        ([None, "Apache 2.0"], "Apache-2.0"),
        ([None, "see file", "BSD License"], "BSD-3-Clause"),
        (["Apache-2.0 OR BSD-2-Clause"], "Apache-2.0 OR BSD-2-Clause"),
        ([None, "All rights reserved", ""], ""),
    ],
)
def test_licences_are_read_as_they_are_spelt(offered, name):
    assert licence(offered) == name


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("Apache-2.0 AND BSD-2-Clause", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("", False),
    ],
)
def test_licences_are_allowed_by_name(expression, fine):
    assert offline.allowed(expression) is fine


class Osv(BaseHTTPRequestHandler):
    """The answers of an OSV that knows one flaw, of h11."""

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["package"]["name"]
        flaw = {"id": "GHSA-x", "aliases": [], "summary": "bad", "affected": []}
        body = json.dumps({"vulns": [flaw]} if told == "h11" else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """A test's server says nothing."""


def test_the_real_pip_audit_asks_the_service_it_is_given():
    pytest.importorskip("pip_audit", reason="pip-audit is of requirements/audit.txt: make audit installs it")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Osv)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        environ = {"AUDIT_OSV_URL": f"http://127.0.0.1:{server.server_address[1]}/v1/query"}
        found = known.ask(["h11"], [ROOT / "requirements" / "runtime.txt"], environ, known.execute)
    finally:
        server.shutdown()
        server.server_close()
    assert {"h11", "pydantic"} <= found.checked
    assert [line for line in found.found if "GHSA-x" in line]
    assert len(found.found) == 1
    assert not found.silent
