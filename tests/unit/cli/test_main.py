from __future__ import annotations

from argparse import ArgumentParser
from importlib import import_module
from keyword import iskeyword

import pytest

from hooks.__main__ import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_module_that_takes_arguments_and_runs(name):
    module = import_module(f"hooks.cli.{name.replace('-', '_')}{'_' * iskeyword(name)}")
    module.add_arguments(ArgumentParser())
    assert callable(module.run)


@pytest.mark.parametrize("words", [[], ["nonsense"], ["serve", "--port", "99999"], ["serve", "--no-such"]])
def test_a_wrong_call_exits_with_2(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: aruba-hooks" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"]])
def test_help_is_no_fault(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: aruba-hooks")


def test_serve_refuses_to_start_with_one_line_per_fault(capsys, monkeypatch):
    monkeypatch.delenv("ARUBA_CLIENT_ID", raising=False)
    monkeypatch.setenv("ARUBA_CLIENT_SECRET", "s")
    monkeypatch.setenv("ARUBA_PHASE_TIMEOUT", "banana")
    monkeypatch.setenv("ARUBA_API_GATEWAY", "no-scheme")
    assert main(["serve"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["api-gateway", "phase-timeout", "client-id"]
