"""docs/how-to/install.md: its values install the chart, and its commands are those that there are."""

from __future__ import annotations

import re

import pytest
import yaml

from hooks.__main__ import main
from tests.helm.charted import CHART, MODES, NAME, TOP, at, mixed, notes, objects, only, refusal

PAGE = (TOP / "docs" / "how-to" / "install.md").read_text()
VALUES = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(# values.yaml\n.*?)```", PAGE, re.DOTALL)]


def test_the_page_has_its_three_ways():
    assert len(VALUES) == 3


@pytest.mark.parametrize("values", VALUES)
def test_the_values_of_the_page_install(values):
    assert refusal(values) == ""
    assert only("Deployment", objects(values))["metadata"]["name"] == NAME


def said_on(text: str) -> list[str]:
    return [word.strip("'") for word in re.findall(r"--set(?:-file)?[ =]'?([\w.]+)=", text)]


@pytest.mark.parametrize("page", ["docs/how-to/install.md", "helm/aruba-cloud-operator/README.md"])
def test_every_value_that_a_command_sets_is_one(page):
    import json

    schema = json.loads((CHART / "values.schema.json").read_text())
    words = [word for word in said_on((TOP / page).read_text()) if word != "commandArgs"]
    assert words
    for word in words:
        place = schema
        for part in word.split("."):
            place = place["properties"][part]


def test_the_command_of_the_readme_renders():
    text = (CHART / "README.md").read_text()
    values: dict = {}
    for path, value in re.findall(r"--set ([\w.]+)=(\S+)", text.partition("## Values")[0]):
        values = mixed(values, at(path, value))
    assert refusal(values) == ""


def test_the_names_of_the_page_are_those_of_the_chart():
    found = objects(MODES["token"])
    for name in (f"{NAME}-kube-state-metrics", "aruba-cloud-operator-view", NAME):
        assert name in PAGE
        assert [item for item in found if item["metadata"]["name"] == name]
    assert f"deployment/{NAME}" in PAGE


@pytest.mark.parametrize("command", ["doctor", "release", "controllers"])
def test_the_commands_that_page_and_notes_name_exist(command, capsys):
    texts = PAGE + notes(MODES["token"]) + notes(MODES["off"])
    assert f"aruba-hooks {command}" in texts
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0


def test_case_107_every_kind_is_kept_before_the_go_operators_release_lets_go():
    """And only then the release goes: Helm keeps what is annotated in the cluster when an upgrade drops it."""
    page = (TOP / "docs" / "how-to" / "migrate.md").read_text()
    order = ["helm.sh/resource-policy=keep\n", "--set crds.enabled=false\n", "$ helm uninstall arubacloud-operator"]
    places = [page.index(command) for command in order]
    assert places == sorted(places)


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", PAGE):
        if "://" not in target:
            assert (TOP / "docs" / "how-to" / target).exists(), target
