"""Project: the root of everything; the cloud shows no state for it, it exists or not (api §8.1)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.live import Live
from hooks.aruba.model.marks import Absent, At, Seen
from hooks.aruba.model.schema import CommonSpec, CommonStatus
from hooks.aruba.model.states import States


def shown_description(live: Live) -> str:
    """Always shown; null is an empty one, so that one given later is seen to be missing."""
    return str(live.get("description") or "")


class ProjectSpec(CommonSpec):
    """A Project of an Aruba Cloud account."""

    description: Annotated[
        str | None, At("description"), Seen(shown_description), Absent(""), Field(max_length=1000)
    ] = None
    """What the project is for; left out, the project has none."""


class ProjectStatus(CommonStatus):
    """What is known of a Project."""


PROJECT = Kind(
    names=Names("Project", "projects", "prj", "aruprj"),
    spec=ProjectSpec,
    status=ProjectStatus,
    collection=Collection("/projects"),
    states=States.EXISTS,
    located=False,
    fixed={"default": False},
    changes=(Put(("description", "tags"), body=("description", "default"), metadata=("name", "tags")),),
    inventory="resources",
    recreate=False,
    sample={"tenant": "ARU-000001"},
    full_sample={"tenant": "ARU-000001", "description": "Web shop, production", "tags": ["shop", "production"]},
    cel=(
        (
            "!has(oldSelf.tenant) || (has(self.tenant) && self.tenant == oldSelf.tenant)",
            "tenant is immutable",
            ".tenant",
        ),
    ),
)
