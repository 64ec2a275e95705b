"""What a page asks its reader to do: files to write and commands to run, in order, read from its Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Step(NamedTuple):
    """One thing that a section asks for: a file to write where `file` is said, else a command to run."""

    section: str
    text: str
    file: str = ""


def steps(page: str) -> list[Step]:
    """All of them, in the page's order. `page` is a path below the top of the checkout."""
    made: list[Step] = []
    for section in re.split(r"^## ", (TOP / page).read_text(), flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        for language, content in _BLOCK.findall(section):
            if language == "console":
                made += [Step(title, command) for command in _commands(content)]
            elif language == "sh":
                made.append(Step(title, content.strip()))
            elif named := re.match(r"# ([\w./-]+\.\w+)\n", content):
                made.append(Step(title, content, named[1]))
    return made


def _commands(content: str) -> list[str]:
    """A command may go on in the next line after a backslash; the lines of a here-document follow it."""
    return [part.strip() for part in re.split(r"^\$ ", content, flags=re.MULTILINE) if part.strip()]
