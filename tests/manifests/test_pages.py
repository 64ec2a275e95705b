"""Reference pages: complete, and with links that lead somewhere."""

from __future__ import annotations

import re

import pytest
import yaml

from hooks.aruba.kinds import discover
from hooks.manifests import generated, samples

CATALOG = discover()
PAGES = {path: text for path, text in generated(CATALOG).items() if path.startswith("docs/reference/kinds/")}


def page(kind: str) -> str:
    return PAGES[f"docs/reference/kinds/{kind.lower()}.md"]


def rows(text: str, title: str) -> dict[str, list[str]]:
    """The table below a heading, by its first cell."""
    section = text.split(f"## {title}\n")[1].split("\n## ", maxsplit=1)[0]
    cells = [
        [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in section.splitlines() if line[:1] == "|"
    ]
    assert len({len(row) for row in cells}) == 1
    return {row[0].strip("`"): row[1:] for row in cells[2:]}


@pytest.mark.parametrize("path", sorted(PAGES))
def test_links_lead_to_pages_that_exist(path):
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[path]):
        assert f"docs/reference/kinds/{target}" in PAGES


def test_the_index_names_every_kind_and_its_owner():
    index = PAGES["docs/reference/kinds/README.md"]
    assert [re.findall(r"\| \[(\w+)\]", line)[0] for line in index.splitlines() if line.startswith("| [")] == [
        str(kind) for kind in CATALOG
    ]
    assert "| [Subnet](subnet.md) | `subnets` | `sn`, `arusn` | [VPC](vpc.md) | A subnet of a VPC. |" in index


@pytest.mark.parametrize("kind", [str(kind) for kind in CATALOG])
def test_every_field_has_its_row(crd_of, kind):
    assert set(rows(page(kind), "Spec")) == {field.name for field in CATALOG[kind].fields}
    status = crd_of[kind]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert set(status) <= set(rows(page(kind), "Status"))


def test_a_row_says_type_default_need_and_freedom():
    spec = rows(page("BlockStorage"), "Spec")
    assert spec["sizeGB"][:4] == ["int32", "`20`", "no", "only upwards once the resource exists"]
    assert spec["sizeGB"][4].endswith("(at least 1; at most 16384)")
    assert spec["type"][:4] == ["`Standard` or `Performance`", "", "no", "until the resource exists"]
    assert spec["projectReference"][:3] == ["reference to [Project](project.md)", "", "yes"]
    assert rows(page("Subnet"), "Spec")["dhcp.enabled"][:4] == ["boolean", "", "yes", "yes"]
    assert rows(page("Project"), "Spec")["tenant"][3] == "no"
    assert (
        rows(page("CloudServer"), "Spec")["dataVolumeReferences"][0] == "references to [BlockStorage](blockstorage.md)"
    )
    assert rows(page("CloudServer"), "Status")["subnetIDs"][0] == "list of strings"
    assert rows(page("Subnet"), "Columns")["Gateway"] == ["`.status.gateway`", "with `-o wide`"]


def test_a_page_tells_of_the_family():
    assert "Deleting it deletes its [SecurityGroup](securitygroup.md) and [Subnet](subnet.md) objects." in page("VPC")
    assert "It is used by [CloudServer](cloudserver.md) and [SecurityRule](securityrule.md) objects." in page("VPC")
    assert "belongs to the [SecurityGroup](securitygroup.md) in `spec.securityGroupReference`" in page("SecurityRule")
    assert "belongs to" not in page("Project")


@pytest.mark.parametrize("kind", [str(kind) for kind in CATALOG])
def test_the_example_is_the_full_sample(kind):
    (block,) = re.findall(r"```yaml\n(.*?)```", page(kind), re.DOTALL)
    assert yaml.safe_load(block) == samples(CATALOG[kind])["full"]
