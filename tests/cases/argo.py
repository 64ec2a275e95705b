"""The health check of docs/how-to/argocd.md, run as Argo CD runs it: Lua 5.1 with the object as `obj`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from lupa.lua51 import LuaRuntime

Object = dict[str, Any]
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "argocd.md"


class Health(NamedTuple):
    status: str
    message: str


def script() -> str:
    """The Lua of the page's ConfigMap."""
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    customizations = yaml.safe_load(yaml.safe_load(block)["data"]["resource.customizations"])
    assert [*customizations] == ["arubacloud.com/*"]
    return str(customizations["arubacloud.com/*"]["health.lua"])


def health(item: Object) -> Health:
    """What Argo CD shows for an object."""
    lua = LuaRuntime(unpack_returned_tuples=True)
    lua.globals().obj = lua.table_from(item, recursive=True)
    found = lua.execute(script())
    return Health(found["status"], found["message"])
