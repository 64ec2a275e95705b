"""Commands run as `python -m hooks` runs them, and kinds that exist for one test only."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hooks.aruba import kinds


def run(command: ModuleType, *words: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(words))


def checkout(folder: Path) -> Path:
    """A folder that looks like a checkout, without any kind of its own."""
    (folder / "hooks" / "aruba" / "kinds").mkdir(parents=True)
    return folder


def lend(monkeypatch: pytest.MonkeyPatch, folder: Path, module: str) -> None:
    """Makes a module of this folder a kind like those of the house, for the time of the test."""
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(folder)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    name = f"{kinds.__name__}.{module}"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(kinds, module, sys.modules.pop(name), raising=False)
