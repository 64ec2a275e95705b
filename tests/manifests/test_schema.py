"""From pydantic's schema to Kubernetes': what it keeps, turns round and refuses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from hooks.manifests.schema import structural


class Inner(BaseModel):
    """What an inner part is."""

    name: str


def of(annotation: Any, **more: Any) -> dict[str, Any]:
    model = type("Model", (BaseModel,), {"__annotations__": {"x": annotation}, "__module__": __name__, **more})
    return structural(model)


def field(annotation: Any, **more: Any) -> dict[str, Any]:
    return of(annotation, **more)["properties"]["x"]


def test_optional_is_not_required_and_has_no_null():
    assert of(str | None, x=None) == {"type": "object", "properties": {"x": {"type": "string"}}}


def test_required_stays_required():
    assert of(str)["required"] == ["x"]


def test_a_default_makes_a_field_optional():
    schema = of(bool, x=False)
    assert "required" not in schema
    assert schema["properties"]["x"] == {"type": "boolean", "default": False}


def test_one_word_is_an_enum_of_one():
    assert field(Literal["a"]) == {"type": "string", "enum": ["a"]}


def test_references_are_written_out():
    inner = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    assert field(Inner) == {"description": "What an inner part is.", **inner}
    assert field(list[Inner])["items"]["properties"] == inner["properties"]


def test_the_description_of_the_field_wins():
    assert field(Annotated[Inner, Field(description="This one\n  here.")])["description"] == "This one here."


def test_exclusive_bounds_become_flags():
    said = field(Annotated[int, Field(gt=0, lt=10)])
    assert said["minimum"] == 0
    assert said["exclusiveMinimum"] is True
    assert said["maximum"] == 10
    assert said["exclusiveMaximum"] is True


def test_a_map_keeps_the_type_of_its_values():
    assert field(dict[str, int])["additionalProperties"] == {"type": "integer", "format": "int64"}


@pytest.mark.parametrize("annotation", [int | str, Any, tuple[int, str], dict[str, Any]])
def test_what_kubernetes_cannot_say_is_refused_aloud(annotation):
    with pytest.raises(ValueError, match="a CRD has no word for"):
        of(annotation)
