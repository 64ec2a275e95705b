"""`new-kind NAME`: writes a starting file for a further kind. Called by people who add one."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from string import Template

from hooks.aruba.kinds import discover
from hooks.aruba.model.kind import Names

FOLDER = Path("hooks") / "aruba" / "kinds"

START = Template('''"""$kind: what it is, and the one thing that is peculiar about it in the API."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.marks import At, Column
from hooks.aruba.model.schema import CommonStatus, RegionalSpec


# RegionalSpec brings tenant, tags, region and projectReference. A further reference is
# Annotated[Ref, To("VPC")]: without At it only fills a placeholder of the path below.
class ${kind}Spec(RegionalSpec):
    """One sentence for people: it becomes the description in the CRD and in the reference page."""

    # At: the property of the request body that this field is written to and read back from.
    size: Annotated[int, At("size"), Field(ge=1)] = 1
    """Every field has a docstring; kubectl explain shows it."""


class ${kind}Status(CommonStatus):
    """What is known of a $kind."""

    # IDs of referenced objects follow from the references. Column: shown by kubectl get.
    address: Annotated[str | None, At("address"), Column("Address")] = None
    """Only what the cloud decides belongs here."""


$constant = Kind(
    names=Names("$kind", "$plural", "$short", "$long_short"),
    spec=${kind}Spec,
    status=${kind}Status,
    # Every placeholder is a lowercase kind that a reference leads to; the last one owns this kind.
    collection=Collection("/projects/{project}/providers/Aruba.Example/$camel"),
    # The fields that an update can settle, and by which call; whatever no change covers is refused.
    changes=(Put(("tags", "size"), body=("size",)),),
    # recreate=False where a resource made again would be another thing: data or an address lost.
    # states=States.EXISTS or SHOWN_OR_EXISTS where the API shows no state; checks=(Check(("size",), fits),) for
    # what it would refuse, as functions of the spec that return a sentence or None; demands, siblings, pointers
    # and held_by for what must be so of referenced objects, neighbours and holders.
    sample={"projectReference": {"name": "shop-prod", "namespace": "default"}},
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "tags": ["shop"],
        "size": 2,
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
''')


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the kind, such as LoadBalancer")
    parser.add_argument("--plural", help="as in kubectl get PLURAL (default: guessed)")
    parser.add_argument("--short", help="short name (default: the initials)")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current directory)")


def run(args: Namespace) -> int:
    """0 when the file is written, 1 when a name cannot be had, 2 outside a checkout."""
    if not (args.root / FOLDER).is_dir():
        print(f"{args.root.resolve()} is not a checkout of the operator: run this at its top, or say --root")
        return 2
    names = propose(args.name, args.plural, args.short)
    path = args.root / FOLDER / f"{names.singular}.py"
    trouble = _trouble(names, path)
    if trouble:
        print(trouble)
        return 1
    path.write_text(starting_file(names), encoding="utf-8")
    print(f"Wrote {path}. Replace what it says by what the API says, then run: make generate test")
    return 0


def propose(name: str, plural: str | None = None, short: str | None = None) -> Names:
    """The names of a kind, those not given being guessed as Kubernetes guesses them."""
    initials = "".join(re.findall(r"[A-Z]", name)).lower()
    short = short or (initials if len(initials) > 1 else name[:3].lower())
    return Names(name, plural or _plural(name.lower()), short, f"aru{short}")


def starting_file(names: Names) -> str:
    """The text of the new module."""
    constant = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", names.kind).upper()
    camel = _plural(names.kind[0].lower() + names.kind[1:])
    return START.substitute(names._asdict(), constant=constant, camel=camel)


def _plural(word: str) -> str:
    if word.endswith("s"):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _trouble(names: Names, path: Path) -> str:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]+", names.kind):
        return f"{names.kind!r} is not the name of a kind: it is written like LoadBalancer"
    for word in (names.plural, names.short):
        if not re.fullmatch(r"[a-z][a-z0-9]*", word):
            return f"{word!r} is not a name that kubectl could take: small letters and digits only"
    if path.exists():
        return f"{path} is there already"
    taken = {word: kind for kind in discover() for word in (*kind.names, kind.names.singular)}
    clash = next((word for word in (*names, names.singular) if word in taken), None)
    return f"{clash!r} already stands for {taken[clash]}: say --plural or --short" if clash else ""
