"""What `plan` reads and prints; what it plans is tested in tests/properties/test_plan.py."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hooks.__main__ import main
from hooks.aruba.kinds import discover
from hooks.aruba.model.wire import Call
from hooks.aruba.planning import Objects, Outcome, Planned
from hooks.cli.plan import Refused, read, told

CATALOG = discover()
PROJECT = "apiVersion: arubacloud.com/v1alpha1\nkind: Project\nmetadata: {name: shop}\nspec: {tenant: t}\n"


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_objects_of_other_groups_are_passed_over_and_a_namespace_is_filled_in(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: a}}\n---\n{PROJECT}---\n")
    (found,) = read(CATALOG, [file], "team-a")
    assert (found["kind"], found["metadata"]) == ("Project", {"name": "shop", "namespace": "team-a"})


def test_a_folder_is_read_as_kubectl_reads_it(tmp_path: Path) -> None:
    for name in ("b.yml", "a.yaml", "c.json", "notes.txt"):
        written(tmp_path, name, PROJECT if name != "notes.txt" else "{")
    assert len(list(read(CATALOG, [str(tmp_path)], "default"))) == 3


def test_manifests_may_come_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(PROJECT))
    assert [item["kind"] for item in read(CATALOG, ["-"], "default")] == ["Project"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "is no YAML"),
        (PROJECT.replace("Project", "Planet"), "arubacloud.com/v1alpha1 Planet is no kind of this operator"),
        (PROJECT.replace("v1alpha1", "v1"), "arubacloud.com/v1 Project is no kind of this operator"),
        (PROJECT.replace("{name: shop}", "{}"), "a Project has no metadata.name"),
        (PROJECT.replace("tenant: t", "tenant: 7"), "Project shop: spec.tenant: "),
    ],
)
def test_what_no_api_server_would_take_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        list(read(CATALOG, [written(tmp_path, "a.yaml", text)], "default"))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_ends_with_2_and_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARUBA_CLIENT_ID", "a")
    monkeypatch.setenv("ARUBA_CLIENT_SECRET", "b")
    assert main(["plan", "-f", "/nowhere/at-all.yaml"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("plan: /nowhere/at-all.yaml cannot be read: ")
    assert said.err.count("\n") == 1


def test_the_lines_of_a_plan() -> None:
    planned = [
        Planned("Project", "a/p", Call("POST", "/projects", {}), "create 'p'"),
        Planned("VPC", "a/v", None, "Stands for 77 from now on"),
    ]
    ends = [Outcome("Project", "a/p", "Active", True, ""), Outcome("VPC", "a/v", "Failed", False, "why")]
    assert list(told(planned, ends)) == [
        "Project a/p: POST /projects  create 'p'",
        "VPC a/v: (no call)  Stands for 77 from now on",
        "VPC a/v: would stay Failed: why",
        "calls: 1, adoptions: 1; 1 of 2 objects would be Ready",
    ]


def test_applying_lays_the_manifest_over_what_is_there_and_takes_away_what_was_applied_before() -> None:
    last = '{"metadata": {"labels": {"old": "1"}}, "spec": {"tags": ["a"], "description": "b"}}'
    noted = {"kubectl.kubernetes.io/last-applied-configuration": last, "by": "somebody"}
    meta = {"name": "shop", "namespace": "a", "uid": "u", "generation": 3}
    there = {
        "kind": "Project",
        "metadata": {**meta, "annotations": noted, "labels": {"old": "1", "kept": "2"}},
        "spec": {"tenant": "t", "tags": ["a"], "description": "b"},
    }
    objects = Objects(CATALOG, [there], {})
    key = objects.apply(
        {"kind": "Project", "metadata": {"name": "shop", "namespace": "a"}, "spec": {"tenant": "t", "tags": ["c"]}}, ""
    )
    found = objects.get(key) or {}
    assert found["spec"] == {"tenant": "t", "tags": ["c"]}
    assert found["metadata"]["labels"] == {"kept": "2"}
    assert found["metadata"]["annotations"]["by"] == "somebody"
    assert (found["metadata"]["uid"], found["metadata"]["generation"]) == ("u", 4)
    again = objects.apply(
        {"kind": "Project", "metadata": {"name": "shop", "namespace": "a"}, "spec": found["spec"]}, ""
    )
    assert (objects.get(again) or {})["metadata"]["generation"] == 4
