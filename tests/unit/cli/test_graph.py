"""The picture: every object, every reference, what is missing, and names that must not break its syntax."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.__main__ import main
from hooks.aruba.kinds import discover
from hooks.cli.cluster import Cluster
from hooks.cli.drawing import MISSING, UNREAD, Edge, Key, Picture, dot_text, mermaid_text, style, write
from hooks.cli.graph import gather
from hooks.http import AsyncClient
from tests.cases import nine
from tests.unit.cli.installed import KINDS, Installed, status
from tests.world.manifests import TARGETS, project, references, vpc
from tests.world.time import LoopClock

Object = dict[str, Any]
SUBJECTS = {kind: nine.subject(kind) for kind in nine.ALL}


def world_of(*items: Object) -> Installed:
    world = Installed()
    for kind in discover():
        world.paths[f"{KINDS}/{kind.names.plural}"] = {
            "items": [item for item in items if item["kind"] == kind.names.kind]
        }
    return world


async def drawn(world: Installed, namespace: str = "") -> Picture:
    async with AsyncClient(transport=world, base_url="http://kube.test") as client:
        return await gather(Cluster(client, LoopClock()), discover(), namespace)


def shown(item: Object, phase: str) -> Object:
    return {**item, "status": {"phase": phase}}


async def test_all_nine_kinds_with_every_reference() -> None:
    picture = await drawn(world_of(*SUBJECTS.values()))
    named = {Key(kind, item["metadata"]["namespace"], item["metadata"]["name"]) for kind, item in SUBJECTS.items()}
    data_volumes = {edge.end for edge in picture.edges if edge.label == "dataVolume"}
    assert set(picture.nodes) == named | data_volumes
    wanted = sum(len(references(item)) for item in SUBJECTS.values())
    assert len(picture.edges) == wanted
    assert {edge.start.kind for edge in picture.edges if not edge.label} == {"Project", "VPC", "SecurityGroup"}
    owned = [edge.end.kind for edge in picture.edges if not edge.label]
    assert sorted(owned) == sorted(nine.CHILDREN)
    used = {(edge.start.kind, edge.end.kind) for edge in picture.edges if edge.label}
    assert ("CloudServer", "ElasticIP") in used
    assert all(edge.end.kind in TARGETS.values() for edge in picture.edges if edge.label)


async def test_what_does_not_exist_is_missing_and_what_cannot_be_read_is_not() -> None:
    world = world_of(shown(vpc(), "Pending"))
    assert (await drawn(world)).nodes[Key("Project", "default", "prj-a")] == MISSING
    world.paths[f"{KINDS}/projects"] = status(403, "not you")
    picture = await drawn(world)
    assert picture.nodes[Key("Project", "default", "prj-a")] == UNREAD
    assert picture.unread == ["Project: the Kubernetes API answered 403: not you"]


async def test_a_kind_that_is_not_served_has_no_objects() -> None:
    world = world_of(vpc())
    del world.paths[f"{KINDS}/projects"]
    picture = await drawn(world)
    assert picture.unread == []
    assert picture.nodes[Key("Project", "default", "prj-a")] == MISSING


async def test_of_one_namespace_with_what_it_uses_elsewhere() -> None:
    inside = vpc(namespace="shop", projectReference={"name": "prj-a", "namespace": "base"})
    lost = vpc("net-b", "shop", projectReference={"name": "prj-b", "namespace": "base"})
    odd = vpc("net-c", "shop", projectReference={"name": "../x", "namespace": "base"})
    world = world_of(project("prj-z", "base"))
    for kind in discover():
        listed = [inside, lost, odd] if kind.names.kind == "VPC" else []
        world.paths[f"{KINDS}/namespaces/shop/{kind.names.plural}"] = {"items": listed}
    world.paths[f"{KINDS}/namespaces/base/projects/prj-a"] = shown(project("prj-a", "base"), "Active")
    nodes = (await drawn(world, "shop")).nodes
    assert {key.name: phase for key, phase in nodes.items() if key.kind == "Project"} == {
        "prj-a": "Active", "prj-b": MISSING, "../x": MISSING,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("phase", "name"),
    [
        ("Active", "active"), ("Failed", "failed"), ("Deleting", "leaving"), ("Deleted", "leaving"),
        ("Creating", "waiting"), ("anything", "waiting"), (MISSING, "missing"), (UNREAD, "unread"),
    ],
)  # fmt: skip
def test_phases_are_marked(phase: str, name: str) -> None:
    assert style(phase) == name


PARENT, CHILD, LOST = Key("Project", "a", "x.y-z"), Key("VPC", "a", 'n"]; x'), Key("ElasticIP", "b", "lost")
PICTURE = Picture(
    {PARENT: "Active", CHILD: "Failed", LOST: MISSING},
    [Edge(PARENT, CHILD), Edge(CHILD, LOST, "elasticIP")],
    [],
)


def test_mermaid() -> None:
    lines = write(PICTURE, "mermaid").splitlines()
    assert lines[:6] == [
        "flowchart TD",
        '  n0["Project<br/>a/x.y-z<br/>Active"]:::active',
        '  n1["VPC<br/>a/n#34;#93;#59; x<br/>Failed"]:::failed',
        '  n2["ElasticIP<br/>b/lost<br/>missing"]:::missing',
        "  n0 --> n1",
        '  n1 -.->|"elasticIP"| n2',
    ]
    assert all(line.startswith("  classDef ") for line in lines[6:])


def test_dot() -> None:
    lines = write(PICTURE, "dot").splitlines()
    assert lines[0] == "digraph aruba {"
    assert lines[-1] == "}"
    assert '  n0 [label="Project\\na/x.y-z\\nActive", class="active", fillcolor="#d1e7dd"];' in lines
    assert any('label="VPC\\na/n\\"]; x\\nFailed", class="failed"' in line for line in lines)
    assert any('class="missing"' in line and "dashed" in line for line in lines)
    assert lines[-3:-1] == ["  n0 -> n1;", '  n1 -> n2 [style=dashed, label="elasticIP"];']


@pytest.mark.parametrize("text", ['a"b', "a\\b", "<b>", "a#b;", "a\nb", "`a`", "x|y", "\x1b[31mred"])
def test_no_text_ends_its_label(text: str) -> None:
    assert not set(mermaid_text(text)) & set('"<>`|\n\x1b\\')
    plain = dot_text(text).replace("\\\\", "").replace('\\"', "")
    assert not set(plain) & set('"\\\n\x1b')


def test_entities_stay_as_they_are_written() -> None:
    assert (dot_text("a&lt;b"), mermaid_text("a&lt;b")) == ("a&amp;lt;b", "a#38;lt#59;b")


@pytest.mark.parametrize("words", [["--namespace", "A_B"], ["--kubeconfig", "/nonexistent"]])
def test_a_bad_call_says_so_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", *words]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("graph: ")
