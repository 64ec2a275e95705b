"""What installed distributions say of themselves: version, licence, needs. For the audit and the bill of materials."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from itertools import chain
from types import MappingProxyType

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement

ALIASES = MappingProxyType(
    {
        "Apache": "Apache-2.0",
        "Apache 2.0": "Apache-2.0",
        "BSD 2-Clause License": "BSD-2-Clause",
        "ISC License": "ISC",
        "MIT License": "MIT",
        "MIT license": "MIT",
        "MIT style": "MIT",
        "PSFL": "PSF-2.0",
        "Apache Software License": "Apache-2.0",
        "BSD License": "BSD-3-Clause",
        "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    }
)
"""What those without a License-Expression write, in their field or classifier, and the SPDX name it stands for.
`BSD License` leaves open which one: those that are pinned have three clauses."""


@dataclass(frozen=True)
class Installed:
    """`licence` is an SPDX expression, "" where the metadata name none that is known; `python` is Requires-Python."""

    version: str
    licence: str
    python: str
    needs: tuple[Requirement, ...]


Look = Callable[[str], Installed | None]


def look(name: str) -> Installed | None:
    """The distribution as it is in this environment, or None where it is not."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = told.get_all("Classifier") or ()
    named = [entry.rpartition(" :: ")[2] for entry in classifiers if entry.startswith("License :: ")]
    needs = tuple(Requirement(entry) for entry in told.get_all("Requires-Dist") or ())
    written = (told.get_all(key) or () for key in ("License-Expression", "License"))
    offered = [*chain.from_iterable(written), " OR ".join(ALIASES.get(name, name) for name in named)]
    return Installed(told["Version"], licence(offered), ", ".join(told.get_all("Requires-Python") or ()), needs)


def licence(offered: Iterable[str | None]) -> str:
    """The first of these texts that means a licence, as an SPDX expression; "" when none does."""
    for text in offered:
        if not text:
            continue
        try:
            return str(canonicalize_license_expression(ALIASES.get(text.strip(), text.strip())))
        except InvalidLicenseExpression:
            continue
    return ""
