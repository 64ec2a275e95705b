"""Reads Containerfile and .dockerignore as far as this repository uses them, for the test of what they promise."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Stage:
    """One FROM and what follows; `steps` are (instruction, its argument on one line)."""

    base: str
    name: str
    steps: tuple[tuple[str, str], ...]

    def all(self, instruction: str) -> list[str]:
        return [argument for word, argument in self.steps if word == instruction]

    def words(self, instruction: str) -> list[str]:
        """The last such instruction's list in its JSON form, the only one that starts no shell."""
        return list(json.loads(self.all(instruction)[-1]))

    def pairs(self, instruction: str) -> dict[str, str]:
        """NAME=value of ENV and LABEL."""
        found = (pair for argument in self.all(instruction) for pair in re.findall(r'([\w.]+)=("[^"]*"|\S+)', argument))
        return {name: value.strip('"') for name, value in found}


def stages(text: str) -> tuple[dict[str, str], list[Stage]]:
    """The ARG defaults before the first FROM, and the stages in order."""
    made: list[Stage] = []
    arguments: dict[str, str] = {}
    for word, argument in steps(text):
        if word == "FROM":
            base, _, name = argument.partition(" AS ")
            made.append(Stage(base.strip(), name.strip(), ()))
        elif not made:
            assert word == "ARG", f"{word} before the first FROM"
            name, _, value = argument.partition("=")
            arguments[name] = value
        else:
            made[-1] = Stage(made[-1].base, made[-1].name, (*made[-1].steps, (word, argument)))
    return arguments, made


def steps(text: str) -> list[tuple[str, str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\s*\\\n\s*", " ", "\n".join(lines))
    return [(line.split(None, 1)[0].upper(), line.split(None, 1)[1].strip()) for line in joined.splitlines()]


def ignored(path: str, rules: str) -> bool:
    """Whether a builder leaves this path out: the last rule that matches it or a folder above it decides."""
    out = False
    parts = path.split("/")
    above = ["/".join(parts[: length + 1]) for length in range(len(parts))]
    for line in rules.splitlines():
        rule = line.strip()
        if not rule or rule.startswith("#"):
            continue
        wanted = rule.removeprefix("!").strip("/")
        if any(_matches(candidate, wanted) for candidate in above):
            out = not rule.startswith("!")
    return out


def _matches(path: str, pattern: str) -> bool:
    if pattern.startswith("**/"):
        tail = pattern.removeprefix("**/")
        return fnmatchcase(path.rpartition("/")[2], tail)
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)
