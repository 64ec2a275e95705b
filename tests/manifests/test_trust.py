"""CompositeControllers for hooks that ask who is calling, as the command prints them."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme
import yaml

from hooks.__main__ import main
from hooks.cli.checks.controllers import url_of

BASE = "https://hooks.test:8443"


def printed(capsys, *words):
    assert main(["controllers", *words]) == 0
    items = list(yaml.safe_load_all(capsys.readouterr().out))
    return tuple([item for item in items if item["kind"] == kind] for kind in ("CompositeController", "ClusterRole"))


@pytest.fixture
def ca(tmp_path) -> Path:
    trustme.CA().cert_pem.write_to_path(tmp_path / "ca.crt")
    return tmp_path / "ca.crt"


def test_without_words_they_are_those_that_are_committed(capsys):
    controllers, roles = printed(capsys)
    committed = yaml.safe_load_all(Path("metacontroller/compositecontrollers.yaml").read_text())
    assert controllers == list(committed)
    assert roles == []


def test_every_hook_carries_ca_token_and_certificate(capsys, ca):
    words = ["--base-url", f"{BASE}/", "--ca-file", str(ca), "--bearer-secret", "aruba-system/hook-token"]
    controllers, _ = printed(capsys, *words, "--client-secret", "aruba-system/hook-client", "--edition", "2 a")
    hooks = [(c, name, hook) for c in controllers for name, hook in c["spec"]["hooks"].items()]
    assert len(hooks) == 27
    for controller, name, hook in hooks:
        plural = controller["spec"]["parentResource"]["resource"]
        webhook = hook["webhook"]
        assert webhook["url"] == f"{BASE}/v2/{plural}/{name}?edition=2%20a"
        assert url_of(hook) == f"{BASE}/v2/{plural}/{name}"
        assert webhook["caBundle"] == {"inline": ca.read_text()}
        secret = {"namespace": "aruba-system", "name": "hook-token", "key": "token"}
        assert webhook["authorization"] == {"type": "Bearer", "secretRef": secret}
        assert webhook["clientTLS"] == {"secretRef": {"namespace": "aruba-system", "name": "hook-client"}}


def test_only_what_names_a_secret_makes_metacontroller_read_secrets(capsys, ca):
    """Its cache would watch all of them (mc §1.3): so the right comes with the need, and for reading alone."""
    assert printed(capsys, "--base-url", BASE, "--ca-file", str(ca))[1] == []
    (role,) = printed(capsys, "--bearer-secret", "a/b:c")[1]
    assert role["rules"] == [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list", "watch"]}]
    assert role["metadata"]["labels"] == {"rbac.arubacloud.com/aggregate-to-metacontroller": "true"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ca-file", "README.md", "--base-url", BASE], "PEM"),
        (["--ca-file", "/nowhere", "--base-url", BASE], "PEM"),
        (["--client-secret", "a/b"], "https"),
        (["--base-url", "hooks.test"], "--base-url"),
        (["--base-url", f"{BASE}?x=1"], "--base-url"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(capsys, words, says):
    assert main(["controllers", *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert says in told.err


@pytest.mark.parametrize("words", [["--bearer-secret", "x"], ["--client-secret", "a/b/c"], ["--resync-period", "0"]])
def test_a_wrong_word_ends_with_2(capsys, words):
    with pytest.raises(SystemExit) as ended:
        main(["controllers", *words])
    assert ended.value.code == 2


def test_the_commands_of_the_page_are_understood(capsys, ca, monkeypatch):
    """docs/how-to/secure-the-hooks.md: each `aruba-hooks controllers` in it, with files of these names at hand."""
    text = Path("docs/how-to/secure-the-hooks.md").read_text().replace("\\\n", " ")
    monkeypatch.chdir(ca.parent)
    lines = [line.strip(" `").partition("|")[0] for line in text.splitlines()]
    found = [line.split()[1:] for line in lines if line.startswith("aruba-hooks controllers -")]
    assert len(found) == 4
    for words in found:
        assert main(words) == 0
        assert "CompositeController" in capsys.readouterr().out
