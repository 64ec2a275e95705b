"""An import as YAML: one stream in the order of the objects' needs, or a file for each object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hooks.aruba.importing import Adopted, Import, Survey
from hooks.manifests.text import to_yaml
from hooks.meta.text import one_line

LEFT_OUT = "left-out.txt"


class CannotWrite(Exception):
    """The directory cannot be written to, or holds what must not be written over."""


def stream(made: Import, found: Survey, project: str) -> str:
    """All of it as one text; what is left out is named first, where it is seen."""
    head = "".join(f"# {line}\n" for line in (*_head(made, project), *_left(made, found)))
    return head + "".join(f"---\n{_document(one)}" for one in made.adopted)


def write(made: Import, found: Survey, project: str, folder: Path, *, force: bool) -> int:
    """A file for each object, and one that names what is left out; the number of objects. Raises CannotWrite, before
    anything is written where that can be known.
    """
    texts = {f"{_file(one)}.yaml": _document(one) for one in made.adopted}
    left = [*_left(made, found)]
    if left:
        texts[LEFT_OUT] = "".join(f"{line}\n" for line in [*_head(made, project), *left])
    try:
        there = sorted(name for name in texts if (folder / name).exists())
        if there and not force:
            more = f" and {len(there) - 1} more are" if there[1:] else " is"
            raise CannotWrite(f"{folder / there[0]}{more} there already: nothing is written. Say --force to replace")
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        if not left:
            (folder / LEFT_OUT).unlink(missing_ok=True)
    except OSError as fault:
        raise CannotWrite(f"--output {folder}: {fault.strerror or fault}") from fault
    return len(made.adopted)


def _file(one: Adopted) -> str:
    return f"{one.found.kind.names.singular}-{one.manifest['metadata']['name']}"


def _document(one: Adopted) -> str:
    return "".join(f"# {one.found}: {remark}\n" for remark in one.remarks) + to_yaml(one.manifest)


def _head(made: Import, project: str) -> Iterator[str]:
    yield f"What Aruba Cloud project {one_line(project, 100)} holds: {len(made.adopted)} objects adopt it as it is."
    yield "Applying them changes nothing in the cloud, and neither does deleting them again."


def _left(made: Import, found: Survey) -> Iterator[str]:
    yield from found.doubts
    yield from map(str, made.left)
