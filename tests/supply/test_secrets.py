"""Field case 87: documentation that carried values in the shape of live credentials, and a role that could read every
Secret. Nothing in this repository looks like a secret, and nobody is granted Secrets.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from tests.supply.scanner import Finding, random_looking, scan

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Allowed:
    """A value that only looks like a secret: where it may stand, how it begins, and why it is none."""

    files: str
    begins: str
    reason: str

    def covers(self, finding: Finding) -> bool:
        return fnmatchcase(finding.file, self.files) and finding.value.startswith(self.begins)


ALLOWED: tuple[Allowed, ...] = ()
"""None so far: prefer a value that says it is made up (scanner.MADE_UP) to an entry here."""


def tracked() -> list[str]:
    words = ["git", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in listed if name and (ROOT / name).is_file()]


def findings(names: list[str]) -> Iterator[Finding]:
    for name in names:
        yield from scan(name, (ROOT / name).read_text("utf-8", errors="replace"))


def test_case_87_no_tracked_file_holds_what_looks_like_a_secret():
    names = tracked()
    assert {"README.md", "hooks/http.py", "requirements/runtime.txt"} <= set(names), "it looks at the right files"
    found = list(findings(names))
    told = [str(finding) for finding in found if not any(entry.covers(finding) for entry in ALLOWED)]
    assert told == [], "take it out, or spell it so that it says it is made up (tests/supply/scanner.py)"
    assert [entry for entry in ALLOWED if not any(map(entry.covers, found))] == [], "no longer needed"


def turned(text: str) -> str:
    """The planted values stand here backwards, or this file would be a finding itself."""
    return text[::-1]


LIVE = turned("6Yq9kLmX2vTf7RbN4wZs8GdJ")
UUID = turned("e1a7c93f0b52-d84a-6f41-93c7-2b5e80d1")
HEX = turned("9f3a70c1d85e4b26af91c0d37e5b8264")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE", "private key"),
        ("  key: |\n    -----BEGIN " + "PRIVATE KEY-----", "private key"),
        ("-----BEGIN " + "OPENSSH PRIVATE KEY-----", "private key"),
        (
            "Authorization: Bearer " + "ey" + "JhbGciOiJSUzI1NiJ9.ey" + "JzdWIiOiJhcnViYSJ9.c2lnbmF0dXJl",
            "JSON web token",
        ),
        ("aws: " + "AKIA" + "Q7XJ2M4R8T5W9Z3B", "AWS access key"),
        ("export VAULT_TOKEN=" + "hvs" + ".CAESIJ7x2kQ9vLmTf4RbNwZs8GdJ6Yq1", "Vault token"),
        ("X-Vault-Token: " + "s" + ".5vK2xQ9LmTf4RbNwZs8GdJ6Y", "Vault token"),
        ("batch " + "hvb" + ".AAAAAQJ7x2kQ9vLmTf4RbNwZs8GdJ6Yq1", "Vault token"),
        ("git clone https://x:" + "gh" + "p_7x2kQ9vLmTf4RbNwZs8GdJ6Yq1vKxQ9LmTfA", "token of a code host"),
        ("proxy: http://operator:" + "hunter22@proxy.local:3128", "password in a URL"),
        (f"helm install x --set clientSecret={LIVE}", "secret by its name"),
        (f"    client-secret: {LIVE}", "secret by its name"),
        (f'{{"client_id": "{UUID}"}}', "secret by its name"),
        (f"Log in with client id `{UUID}` and the secret", "secret by its name"),
        (f"      - name: ARUBA_CLIENT_SECRET\n        value: {LIVE}", "secret by its name"),
        (f"{{name: ARUBA_CLIENT_SECRET, value: {LIVE}}}", "secret by its name"),
        (f"bao write auth/approle/login role_id={UUID}", "secret by its name"),
        (f"ARUBA_ROLE_SECRET={UUID}", "secret by its name"),
        (f"password = {HEX!r}", "secret by its name"),
        (f"aruba-tool --token {HEX}", "secret by its name"),
        (f"api_key: {LIVE}{LIVE}", "secret by its name"),
    ],
)
def test_case_87_a_planted_secret_is_found(text, shape):
    text = f"# Title\n\nSome words before.\n{text}\n"
    found = list(scan("docs/planted.md", text))
    assert shape in {finding.shape for finding in found}
    assert all(finding.line in {4, 5} for finding in found)


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial/first-steps.md", "hooks/cli/demo/__init__.py"])
def test_case_87_it_is_found_within_a_real_file(name):
    text = (ROOT / name).read_text("utf-8")
    assert list(scan(name, text)) == []
    middle = text.index("\n", len(text) // 2)
    [found] = scan(name, text[:middle] + f"\n  client-secret: {LIVE}" + text[middle:])
    assert found.line == text[:middle].count("\n") + 2
    assert LIVE not in str(found), "a report of a secret must not tell it"


@pytest.mark.parametrize(
    "text",
    [
        "the token endpoint is https://login.example/auth/realms/some-realm",
        "client-secret: ${ARUBA_CLIENT_SECRET_FROM_THE_STORE}",
        "secret: canary-7x2kQ9vLmTf4RbNwZs8GdJ6Yq",
        "password=example-7x2kQ9vLmTf4RbNwZs8GdJ6Yq",
        "token = self._credentials_of_this_tenant(known)",
        "client_id: aruba-cloud-operator-hooks",
        "anyio==4.16.0 --hash=sha256:59bb03251907983d1603d27c3087ddb1e93299ea2163adcdba37899a4fb12ffb",
        "role-id: 00000000-0000-0000-0000-000000000000",
        "secretName: aruba-cloud-operator-credentials-2",
    ],
)
def test_case_87_words_and_what_says_it_is_made_up_are_no_findings(text):
    assert list(scan("docs/some.md", text)) == []


@pytest.mark.parametrize(
    ("value", "random"),
    [(LIVE, True), (UUID, True), (HEX, True), ("aruba-cloud-operator-hooks", False), ("ARU-000001-ITBG-2026", False),
     ("11111111-1111-1111-1111-111111111111", False), ("0000000000000000", False)],
)  # fmt: skip
def test_case_87_chance_is_told_from_names(value, random):
    assert random_looking(value) is random


def rules() -> Iterator[tuple[str, dict]]:
    """Every rule of every role that an installation applies."""
    for folder in ("metacontroller", "helm"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            if {"templates", "overlays"} & set(path.parts):
                continue  # those are rendered, and looked at, by the chart's own tests
            for document in yaml.safe_load_all(path.read_text("utf-8")):
                if document and document.get("kind") in {"Role", "ClusterRole"}:
                    for rule in document.get("rules") or ():
                        yield f"{path.name}: {document['metadata']['name']}", rule


def test_case_87_nobody_is_granted_secrets_or_everything():
    seen = set()
    for role, rule in rules():
        seen.add(role.partition(":")[0])
        core = {"", "*"} & set(rule.get("apiGroups", ()))
        granted = {name.partition("/")[0] for name in rule.get("resources", ())}
        assert not (core and granted & {"secrets", "*"}), f"{role} reaches Secrets: {rule}"
        assert "*" not in rule["verbs"], f"{role} grants every verb: {rule}"
        assert "*" not in rule.get("apiGroups", ()), f"{role} grants every group: {rule}"
    assert seen == {"rbac-hooks.yaml", "rbac-metacontroller.yaml"}


def test_case_87_roles_are_granted_by_name_and_widened_by_nobody():
    for path in sorted((ROOT / "metacontroller").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text("utf-8")):
            if document and document.get("kind", "").endswith("RoleBinding"):
                assert document["roleRef"]["name"].startswith("aruba-cloud-operator-"), path.name
