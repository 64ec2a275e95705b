"""Oddities of the real cloud, each behind a switch, all off in a fresh simulator.

Set through `POST quirks` (names and meanings are fixed in the interface); read by the rooms that honour them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Seconds = float


class Quirks(BaseModel):
    """One member per quirk; the wire name is the camel-case one."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True, strict=True)

    list_lag: Seconds = Field(0.0, ge=0)
    """A new resource shows in lists (also `resources`) only so many seconds after its creation."""
    read_lag: Seconds = Field(0.0, ge=0)
    """A new resource is 404 by id, for PUT and DELETE, as a parent and as a dependency, for so many seconds (F21)."""
    network_filter: bool = False
    """Network lists honour `filter`; without this they silently ignore it (api §5.2)."""
    thin_create: Literal["noUri", "noStatus", "noBody", "204"] | None = None
    """What a create leaves out of its answer: `metadata.uri` (F22), `status`, the whole body (201), body and 201."""
    error_shape: Literal[1, 2, 3, 4] | None = None
    """Every `errors` in this shape (api §5.3). Off: shape 1, and shape 2 for a wrong state, as was seen."""
    uri_casing: bool = False
    """URIs in answers spell collections another way: `elasticIPs`, `blockstorages`, `securitygroups` (F15)."""
    empty_list_is_404: bool = Field(False, alias="emptyListIs404")
    """A list without a single match answers 404 (O2)."""
    second_delete: Literal[202, 400, 404] | None = None
    """DELETE of what is `Deleting`: accepted, refused, or not found. Off: 400 while `Deleting`, 404 once gone.
    400 asked for by name also holds once it is gone (F2)."""
    page_limit: int | None = Field(None, ge=1)
    """No page is longer than this, whatever `limit` asks."""
    never_settle: str | None = None
    """Transitions of this CR kind never end; lifted, the overdue ones end with the next request."""
    reject_tags: bool = False
    """A POST with tags is refused (400, field `Tag`); a PUT is not."""
    first_vpc_default: bool = False
    """The first VPC of a project becomes the default one whatever its body says."""
    project_preset: bool = False
    """A new project comes with a default VPC that holds a subnet and a security group."""
    skip_on_paging: bool = False
    """At each page boundary the first item is replaced by the one before it: one live item is missing, another
    comes twice, `total` and the page lengths look right."""
    strict_names: bool = False
    """Names follow the published rule (F17): 4-50 letters, digits, hyphens, no hyphen at either end."""
    deleted_rule_lag: Seconds = Field(0.0, ge=0)
    """A security rule that is gone still answers 200 with state `Deleted` for so many seconds (F3)."""
