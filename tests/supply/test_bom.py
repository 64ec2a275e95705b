"""The bill of materials is true, complete, valid by CycloneDX' own schema, and the same each time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.supply import bom
from tests.supply.installed import Installed, look
from tests.supply.pins import IMAGE, read

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def text():
    return bom.bill(ROOT)


@pytest.fixture(scope="module")
def document(text):
    return json.loads(text)


def test_it_is_valid_cyclonedx_1_6(text, document):
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_the_operator_is_the_root(document):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    root = document["metadata"]["component"]
    assert (root["name"], root["version"], root["type"]) == (project["name"], project["version"], "application")
    assert root["licenses"][0]["license"]["id"] == "Apache-2.0"


def test_it_holds_what_the_image_installs_and_no_more(document):
    pins = {pin.name: pin for pin in read(ROOT / "requirements" / "runtime.txt").pins if pin.wanted(IMAGE)}
    parts = {part["name"]: part for part in document["components"]}
    assert parts.keys() == pins.keys()
    assert {"pydantic", "uvloop"} <= parts.keys()
    assert "httpx2-jsfetch" not in parts, "that one is for browsers"
    for name, part in parts.items():
        assert part["version"] == pins[name].version
        assert part["purl"] == f"pkg:pypi/{name}@{pins[name].version}"
        hashes = [entry["content"] for entry in part["externalReferences"][0]["hashes"]]
        assert sorted(hashes) == sorted(entry.removeprefix("sha256:") for entry in pins[name].hashes)
        assert part["licenses"], name


def test_every_part_is_there_because_something_needs_it(document):
    needs = {entry["ref"]: entry.get("dependsOn", []) for entry in document["dependencies"]}
    reached, waiting = set(), [document["metadata"]["component"]["bom-ref"]]
    while waiting:
        reference = waiting.pop()
        if reference not in reached:
            reached.add(reference)
            waiting += needs[reference]
    assert reached == needs.keys()
    assert len(needs) == len(document["components"]) + 1


def test_the_same_list_gives_the_same_bytes_and_another_one_another_serial(text, document):
    assert bom.bill(ROOT) == text
    assert "timestamp" not in document["metadata"]

    def relicensed(name):
        found = look(name)
        return Installed(found.version, "ISC", found.python, found.needs)

    assert json.loads(bom.bill(ROOT, look=relicensed))["serialNumber"] != document["serialNumber"]


def test_the_date_is_the_builds_own_when_it_has_one():
    dated = json.loads(bom.bill(ROOT, bom.epoch("1767225600")))
    assert dated["metadata"]["timestamp"] == "2026-01-01T00:00:00+00:00"


def test_the_command_writes_it(tmp_path, capsys):
    output = tmp_path / "deep" / "sbom.json"
    assert bom.write(ROOT, output, {}) == 0
    assert json.loads(output.read_text("utf-8"))["bomFormat"] == "CycloneDX"
    assert "components in" in capsys.readouterr().out


def test_a_date_that_is_none_is_refused_in_one_line(tmp_path, capsys):
    assert bom.write(ROOT, tmp_path / "sbom.json", {"SOURCE_DATE_EPOCH": "yesterday"}) == 2
    assert capsys.readouterr().err == (
        "sbom: SOURCE_DATE_EPOCH is 'yesterday': give whole seconds since 1970, or leave it unset\n"
    )
    assert not (tmp_path / "sbom.json").exists()


@pytest.mark.parametrize(
    ("found", "words"),
    [(None, "is not installed here"), (Installed("0", "MIT", "", ()), "but 0 is installed")],
)
def test_metadata_of_another_version_make_no_bill(found, words):
    with pytest.raises(bom.CannotTell, match=words):
        bom.bill(ROOT, look=lambda name: found)
