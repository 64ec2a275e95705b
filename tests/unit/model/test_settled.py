"""Nothing in a spec is left open: each field is compared with the cloud, stands on the path, or says why it is not."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from hooks.aruba.kinds import discover
from hooks.aruba.model.kind import Action, Collection, Kind, Names, Put
from hooks.aruba.model.marks import At, AtMeta, Ignored, Seen, To
from hooks.aruba.model.schema import CommonSpec, CommonStatus, Ref, Schema

KINDS = {kind.names.kind: kind for kind in discover()}
ON_THE_PATH = {
    "BlockStorage": {"projectReference"},
    "CloudServer": {"projectReference"},
    "ElasticIP": {"projectReference"},
    "KeyPair": {"projectReference"},
    "Project": set(),
    "SecurityGroup": {"projectReference", "vpcReference"},
    "SecurityRule": {"projectReference", "vpcReference", "securityGroupReference"},
    "Subnet": {"projectReference", "vpcReference"},
    "VPC": {"projectReference"},
}
IGNORED = {"tenant"}


def test_all_kinds_are_spoken_of() -> None:
    assert set(KINDS) == set(ON_THE_PATH)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_field_is_compared_or_on_the_path_or_ignored_for_a_reason(name: str) -> None:
    kind = KINDS[name]
    placed = {kind.parent_field(word).name for word in kind.collection.placeholders}
    ignored = {f.name: f.ignored.why for f in kind.fields if f.ignored is not None}
    compared = {f.name for f in kind.fields if f.compared}
    assert placed == ON_THE_PATH[name]
    assert set(ignored) == IGNORED
    assert all(len(why.split()) > 3 for why in ignored.values())
    assert compared == {f.name for f in kind.fields} - placed - IGNORED
    assert {"tags"} <= compared


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_change_settles_only_what_is_compared(name: str) -> None:
    kind = KINDS[name]
    assert kind.mutable <= {f.name for f in kind.fields if f.compared}
    assert not kind.mutable & ON_THE_PATH[name]


class Inner(Schema):
    """A part of a spec."""

    open: bool = False


class Plain(CommonSpec):
    """A field that nobody speaks of."""

    size: int = 1


class Deep(CommonSpec):
    """One inside another."""

    inner: Inner = Inner()


class Loose(CommonSpec):
    """A reference that does not stand on the path."""

    userReference: Annotated[Ref | None, To("User")] = None  # noqa: N815 - as Kubernetes spells it


class Late(CommonSpec):
    """A field that is written and never read."""

    secret: Annotated[str, At("secret"), Ignored("the cloud never shows it")] = ""


class Whole(CommonSpec):
    """Each way to settle a field."""

    size: Annotated[int, At("size")] = 1
    word: Annotated[str, AtMeta("word")] = ""
    shown: Annotated[str, Seen(lambda live: live.get("other"))] = ""
    secret: Annotated[str, At("secret"), Ignored("the cloud never shows it")] = ""
    userReference: Annotated[Ref | None, To("User")] = None  # noqa: N815 - as Kubernetes spells it


def toy(spec: type[CommonSpec], path: str = "/toys", **more: Any) -> Kind:
    return Kind(Names("Toy", "toys", "ty", "aruty"), spec, CommonStatus, Collection(path), sample={}, **more)


@pytest.mark.parametrize(("spec", "field"), [(Plain, "size"), (Deep, "inner.open"), (Loose, "userReference")])
def test_a_kind_with_an_open_field_cannot_be_made(spec: type[CommonSpec], field: str) -> None:
    with pytest.raises(ValueError, match=r"^Toy: .* is neither compared, nor on the path, nor Ignored\(why\)$") as told:
        toy(spec)
    assert str(told.value).split()[1] == field


def test_each_way_to_settle_a_field_will_do() -> None:
    kind = toy(Whole, "/users/{user}/toys", changes=(Put(("size", "word", "tags")),))
    assert {f.name for f in kind.fields if f.compared} == {"tags", "size", "word", "shown"}
    assert kind.mutable == {"size", "word", "tags"}


def test_on_the_path_is_only_what_the_path_names() -> None:
    assert toy(Loose, "/users/{user}/toys").parent_field("user").name == "userReference"
    with pytest.raises(ValueError, match=r"^Toy: the path needs \{owner\}, but no reference leads there$"):
        toy(Loose, "/owners/{owner}/users/{user}/toys")


@pytest.mark.parametrize("change", [Put(("secret",)), Action("turn", "secret", "on", "off")])
def test_a_change_of_what_cannot_be_read_back_cannot_be_declared(change: Put | Action) -> None:
    with pytest.raises(ValueError, match=r"^Toy: the changed field secret cannot be read back$"):
        toy(Late, changes=(change,))
    assert toy(Late).mutable == frozenset()


def test_a_change_of_what_is_not_there_cannot_be_declared() -> None:
    with pytest.raises(ValueError, match=r"^Toy: a change names the unknown field sizes$"):
        toy(Late, changes=(Put(("sizes",)),))
