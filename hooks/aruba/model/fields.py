"""The fields of a spec model with their marks, found once when a `Kind` is made."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hooks.aruba.model.live import Live, last_segment
from hooks.aruba.model.marks import Absent, At, AtMeta, Exclusive, Grows, Ignored, Seen, To, Word


class FieldSpec(NamedTuple):
    """One leaf of a spec: `name` is its dotted path, such as `dhcp.enabled`."""

    name: str
    at: At | None
    at_meta: AtMeta | None
    seen: Seen | None
    to: To | None
    many: bool
    optional: bool
    grows: bool
    ignored: Ignored | None
    word: bool
    """Case says nothing."""
    absent: Absent | None
    exclusive: bool

    @property
    def late(self) -> bool:
        """A reference that is attached after the resource is up, and no condition of its creation."""
        return self.to is not None and self.seen is not None and self.at is None

    @property
    def compared(self) -> bool:
        return self.ignored is None and (self.seen is not None or self.at is not None or self.at_meta is not None)

    @property
    def id_field(self) -> str:
        """Where the referenced ID stands in status: `vpcReference` -> `vpcID`, `subnetReferences` -> `subnetIDs`."""
        stem, plural = self.name.removesuffix("References"), self.name.endswith("References")
        return stem + "IDs" if plural else self.name.removesuffix("Reference") + "ID"

    def read(self, live: Live) -> Any:
        """The cloud's value of this field; None means that the cloud does not return it."""
        if self.seen is not None:
            return self.seen.read(live)
        if self.at_meta is not None:
            return live.meta(self.at_meta.path)
        value = live.get(self.at.path) if self.at is not None else None
        if self.to is None or value is None:
            return value
        uri = value.get("uri") if isinstance(value, dict) else value
        return last_segment(uri) or None


def _unwrap(annotation: Any) -> tuple[Any, bool]:
    """The annotation without `None`, and whether it had one."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [arg for arg in get_args(annotation) if arg is not type(None)]
        if len(rest) == 1:
            return rest[0], True
    return annotation, False


def _mark(info: FieldInfo, kind: type) -> Any:
    return next((mark for mark in info.metadata if isinstance(mark, kind)), None)


def spec_fields(model: type[BaseModel], prefix: str = "") -> Iterator[FieldSpec]:
    """Every leaf of a spec model, nested models flattened, in the order of declaration."""
    for name, info in model.model_fields.items():
        inner, optional = _unwrap(info.annotation)
        to = _mark(info, To)
        if to is None and isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from spec_fields(inner, f"{prefix}{name}.")
            continue
        yield FieldSpec(
            name=prefix + name,
            at=_mark(info, At),
            at_meta=_mark(info, AtMeta),
            seen=_mark(info, Seen),
            to=to,
            many=get_origin(inner) is tuple,
            optional=optional or not info.is_required(),
            grows=_mark(info, Grows) is not None,
            ignored=_mark(info, Ignored),
            word=get_origin(inner) is Literal or _mark(info, Word) is not None,
            absent=_mark(info, Absent),
            exclusive=_mark(info, Exclusive) is not None,
        )


def value_at(spec: BaseModel, name: str) -> Any:
    """The value of a dotted field of a spec, None where it is not set."""
    value: Any = spec
    for step in name.split("."):
        value = getattr(value, step, None)
        if value is None:
            return None
    return value
