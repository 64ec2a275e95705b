"""`make image`: which engine it takes, and what it says when there is none."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import pytest

from tests.supply.image import build, choose, command

ROOT = Path(__file__).parents[2]


@pytest.fixture
def engine(tmp_path):
    """Makes an engine that is a script, and hands out a `find` that knows the made ones only."""

    def make(name, script):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def find(tmp_path):
    return lambda name: str(path) if (path := tmp_path / name).exists() else None


def test_without_any_engine_one_line_names_them(capsys, find):
    assert build(ROOT, "x", find=find) == 2
    assert capsys.readouterr().err == (
        "image: no container engine is installed: install one of docker, podman, buildah\n"
    )


def test_an_engine_whose_daemon_is_away_is_named_with_its_words(capsys, engine, find):
    engine("docker", "echo noise; echo 'Cannot connect to the daemon' >&2; exit 1")
    assert build(ROOT, "x", find=find) == 2
    assert capsys.readouterr().err == (
        "image: docker is installed but does not answer (Cannot connect to the daemon):"
        " start it, or install podman or buildah, which need no daemon\n"
    )


def test_the_next_one_that_answers_is_taken(engine, find):
    engine("docker", "exit 1")
    podman = engine("podman", "exit 0")
    assert choose(find) == (podman, "")


def test_it_builds_with_the_name_asked_for(capfd, engine, find):
    engine("podman", 'test "$1" = info || echo "BUILT $@"')
    assert build(ROOT, "shop.example/operator:1", "python@sha256:abc", find=find) == 0
    told = capfd.readouterr().out
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"BUILT build --file {ROOT}/Containerfile --build-arg VERSION={version} --build-arg REVISION=" in told
    assert f"--build-arg BASE=python@sha256:abc --tag shop.example/operator:1 {ROOT}" in told


def test_a_build_that_fails_is_a_failure(capfd, engine, find):
    engine("buildah", 'test "$1" = info')
    assert build(ROOT, "x", find=find) == 1


def test_every_argument_is_one_that_the_containerfile_takes():
    text = (ROOT / "Containerfile").read_text("utf-8")
    words = command("docker", ROOT, "x", "y")
    for word, value in itertools.pairwise(words):
        if word == "--build-arg":
            assert f"ARG {value.partition('=')[0]}=" in text
