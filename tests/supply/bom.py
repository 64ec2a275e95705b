"""`make sbom`: what the image holds, as CycloneDX 1.6: the operator, every pinned distribution, who needs whom.

Read from requirements/runtime.txt (versions, hashes) and from the installed metadata (licences, needs), so that the
file follows from what is in the repository: the same list gives the same bytes.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseAcknowledgement
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.supply.installed import Installed, Look, look
from tests.supply.pins import IMAGE, Pin, read


class CannotTell(Exception):
    """The bill would not be true; the text says what to do."""


def write(root: Path, output: Path, environ: Mapping[str, str]) -> int:
    """0 and one line on stdout; 2 and one line on stderr when the bill would not be true."""
    try:
        text = bill(root, epoch(environ.get("SOURCE_DATE_EPOCH", "")))
    except CannotTell as fault:
        print(f"sbom: {fault}", file=sys.stderr)
        return 2
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, "utf-8")
    print(f"sbom: {len(json.loads(text)['components'])} components in {output}, valid CycloneDX 1.6")
    return 0


def epoch(text: str) -> datetime | None:
    """The build's date by the convention of reproducible builds, or no date at all."""
    if not text:
        return None
    try:
        return datetime.fromtimestamp(int(text), UTC)
    except (ValueError, OverflowError, OSError):
        raise CannotTell(f"SOURCE_DATE_EPOCH is {text!r}: give whole seconds since 1970, or leave it unset") from None


def bill(root: Path, when: datetime | None = None, look: Look = look) -> str:
    """The document as text; raises `CannotTell` for a faulty list, or metadata of other versions than those pinned."""
    listed = read(root / "requirements" / "runtime.txt")
    if listed.faults:
        raise CannotTell(listed.faults[0])
    pins = [pin for pin in listed.pins if pin.wanted(IMAGE)]
    known = {pin.name: _same(pin, look(pin.name)) for pin in pins}
    operator = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    parts = {pin.name: _part(pin, known[pin.name]) for pin in pins}
    bom = Bom(components=parts.values())
    bom.metadata.component = _root(operator)
    bom.register_dependency(bom.metadata.component, _needed(map(Requirement, operator["dependencies"]), parts))
    for name, part in parts.items():
        bom.register_dependency(part, _needed(known[name].needs, parts))
    return _settled(JsonV1Dot6(bom).output_as_string(), when)


def _same(pin: Pin, found: Installed | None) -> Installed:
    if found is None:
        raise CannotTell(f"{pin.name} is not installed here, so its licence is not known: run `make sbom`")
    if found.version != pin.version:
        raise CannotTell(
            f"{pin.name} is pinned at {pin.version}, but {found.version} is installed: install the list again"
        )
    return found


def _root(project: dict[str, Any]) -> Component:
    return Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        description=project["description"],
        licenses=[LicenseFactory().make_from_string(project["license"])],
        purl=PackageURL("pypi", name=project["name"], version=project["version"]),
        bom_ref="operator",
    )


def _part(pin: Pin, found: Installed) -> Component:
    """The hashes stand at a reference of type distribution, as CycloneDX' own tool for such lists has them: each is of
    one file that will do (a wheel of a platform, or the source), none is of the component on every platform.
    """
    purl = PackageURL("pypi", name=pin.name, version=pin.version)
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(purl.to_string()),
        comment="any one of these files",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=entry.removeprefix("sha256:")) for entry in pin.hashes],
    )
    declared = LicenseAcknowledgement.DECLARED
    licences = [LicenseFactory().make_from_string(found.licence, license_acknowledgement=declared)]
    return Component(
        type=ComponentType.LIBRARY,
        name=pin.name,
        version=pin.version,
        purl=purl,
        bom_ref=purl.to_string(),
        licenses=licences if found.licence else (),
        external_references=[files],
    )


def _needed(wishes: Iterable[Requirement], parts: Mapping[str, Component]) -> list[Component]:
    """What of the list these wishes come to in the image. Nothing there asks for an extra; a part that only an extra
    needed would stand alone, and a test would say so.
    """
    holds = [wish for wish in wishes if wish.marker is None or wish.marker.evaluate({**IMAGE, "extra": ""})]
    names = sorted({canonicalize_name(wish.name) for wish in holds})
    return [parts[name] for name in names if name in parts]


def _settled(text: str, when: datetime | None) -> str:
    """With the date asked for or none, and a serial number that follows from the content."""
    document = json.loads(text)
    del document["serialNumber"], document["metadata"]["timestamp"]
    if when is not None:
        document["metadata"]["timestamp"] = when.isoformat()
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, content)}"
    made = json.dumps(document, indent=2, sort_keys=True) + "\n"
    refused = JsonStrictValidator(SchemaVersion.V1_6).validate_str(made)
    if refused is not None:
        raise CannotTell(f"the document is no CycloneDX 1.6: {refused}")
    return made
