"""Walks through a page as a newcomer does: every file that it shows is written, every command that it shows is run.

What cannot be done here (a public registry, a container engine) is named by the test that walks, with what is done
instead. A page that changes is walked as it has become.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from tests.e2e.site import Site
from tests.pages import steps

Instead = Mapping[str, Callable[[str], Awaitable[str]]]
"""By a part of a command: what is done for it; it is given the command, and returns what would be printed."""


def as_it_is(_name: str, text: str) -> str:
    return text


async def walk(
    here: Site,
    page: str,
    sections: list[str],
    instead: Instead = MappingProxyType({}),
    edit: Callable[[str, str], str] = as_it_is,
) -> str:
    """Do all that these sections ask for; what was printed. `edit` is given each file's name and text, to change it.

    Fails where a section has nothing to do, or something is named in `instead` that the page no longer says.
    """
    printed, met = [], set()
    for section in sections:
        found = [step for step in steps(page) if step.section == section]
        assert found, f"{page} has nothing to do under {section}"
        for step in found:
            if step.file:
                here.write(step.file, edit(step.file, step.text))
                continue
            other = [part for part in instead if part in step.text]
            met |= set(other)
            said = await instead[other[0]](step.text) if other else await here.sh(step.text)
            printed.append(f"$ {step.text}\n{said}")
    assert met == set(instead), f"{page} no longer says {set(instead) - met}"
    return "\n".join(printed)


async def nothing(_command: str) -> str:
    """For a command that only fetches what is here already."""
    return ""
