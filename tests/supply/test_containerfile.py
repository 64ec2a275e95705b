from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.supply.containerfile import ignored, stages
from tests.supply.pins import IMAGE, read

ROOT = Path(__file__).parents[2]
FILE = ROOT / "Containerfile"
ARGUMENTS, STAGES = stages(FILE.read_text("utf-8"))
BUILD, RUNTIME = STAGES
RULES = (ROOT / ".dockerignore").read_text("utf-8")


def copied(stage):
    """(sources, target) of each COPY from the build context."""
    return [(words[:-1], words[-1]) for c in stage.all("COPY") if not c.startswith("--from=") for words in [c.split()]]


def test_the_stages_share_a_slim_base_that_can_be_pinned_by_digest():
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim", ARGUMENTS["BASE"])
    assert [(stage.base, stage.name) for stage in STAGES] == [("${BASE}", "build"), ("${BASE}", "runtime")]


def test_the_bill_of_materials_and_the_project_know_the_bases_python():
    python = re.search(r"python:(3\.\d+)", ARGUMENTS["BASE"])[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert IMAGE["python_version"] == python
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]


def test_only_hashed_wheels_are_installed_and_the_operator_without_dependencies():
    installs = [part for run in BUILD.all("RUN") for part in run.split("&&") if " install " in part]
    *foreign, own = installs
    lists = [re.search(r"--requirement (\S+)", words)[1] for words in foreign]
    assert lists == ["requirements/runtime.txt", "requirements/build.txt"]
    assert all("--require-hashes" in words and "--only-binary :all:" in words for words in foreign)
    assert "--no-deps" in own
    assert "--no-index" in own
    assert not [run for run in RUNTIME.all("RUN") if " install " in run]
    for name in lists:
        listed = read(ROOT / name)
        assert not listed.faults
        assert all(pin.hashes for pin in listed.pins)


def test_the_build_list_is_what_the_build_system_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["dependency-groups"]["build"] == project["build-system"]["requires"]
    assert {"hatchling"} <= {pin.name for pin in read(ROOT / "requirements" / "build.txt").pins}


def test_what_is_copied_exists_and_is_sent_to_the_builder():
    sources = [source for words, _ in copied(BUILD) for source in words]
    assert {"hooks", "crds", "metacontroller", "pyproject.toml", "README.md", "LICENSE"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not ignored(source, RULES), source
    assert not copied(RUNTIME)
    assert RUNTIME.all("COPY") == ["--from=build /opt/aruba-hooks /opt/aruba-hooks"]


@pytest.mark.parametrize(
    "path", [".git/config", ".venv/bin/python", "tests/conftest.py", ".local-state/kubeconfig", "dist/x.whl",
             "hooks/__pycache__/clock.cpython-313.pyc", "hooks/edge/__pycache__/app.cpython-313.pyc", ".env"],
)  # fmt: skip
def test_nothing_else_is_sent(path):
    assert ignored(path, RULES)


def test_it_runs_as_a_number_that_is_not_root_and_nothing_resets_it():
    assert RUNTIME.all("USER") == ["65532:65532"]
    after = RUNTIME.steps[[word for word, _ in RUNTIME.steps].index("USER") :]
    assert not {"RUN", "COPY", "ADD"} & {word for word, _ in after}


def test_it_writes_nothing_by_itself():
    assert RUNTIME.pairs("ENV") == {
        "PATH": "/opt/aruba-hooks/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
    }
    assert any("compileall" in run and "unchecked-hash" in run for run in BUILD.all("RUN"))
    assert any("pip uninstall" in run for run in RUNTIME.all("RUN"))
    assert not RUNTIME.all("VOLUME")


def test_the_entry_point_is_a_console_script_and_its_words_are_understood():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    [script] = RUNTIME.words("ENTRYPOINT")
    assert script in project["scripts"]
    from argparse import ArgumentParser

    from hooks.cli import serve

    command, *words = RUNTIME.words("CMD")
    parser = ArgumentParser(exit_on_error=False)
    serve.add_arguments(parser)
    read_back = parser.parse_args(words)
    assert (command, read_back.host) == ("serve", "0.0.0.0")  # noqa: S104 - a pod has a network of its own
    assert RUNTIME.all("EXPOSE") == [f"{read_back.port} {read_back.metrics_port}"] == ["8080 8081"]
    assert RUNTIME.all("STOPSIGNAL") == ["SIGTERM"]


def test_labels_say_what_it_is():
    labels = RUNTIME.pairs("LABEL")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    prefix = "org.opencontainers.image."
    assert labels[f"{prefix}title"] == project["name"]
    assert labels[f"{prefix}description"] == project["description"]
    assert labels[f"{prefix}licenses"] == project["license"]
    assert (labels[f"{prefix}version"], labels[f"{prefix}revision"]) == ("${VERSION}", "${REVISION}")


@pytest.mark.parametrize(
    ("path", "rules", "out"),
    [
        ("a", "*", True),
        ("a", "*\n!a", False),
        ("a/b", "*\n!a", False),
        ("a/b.pyc", "*\n!a\n**/*.pyc", True),
        ("b.pyc", "**/*.pyc", True),
        ("a/__pycache__/x", "!a\n**/__pycache__", True),
        ("ab", "a", False),
        ("x/a", "a", False),
    ],
)
def test_rules_of_what_is_ignored(path, rules, out):
    assert ignored(path, rules) is out
