"""No ID and no path can lead a request elsewhere (cases 9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.aruba.cloud import paths
from hooks.http import URL

BAD = [
    "",
    ".",
    "..",
    "a/b",
    "/",
    "a%2fb",
    "%",
    "a?b",
    "a#b",
    "a b",
    "a\n",
    "\x00",
    "a\x7f",
    "\\",
    "a\\..\\b",
    "é",
    "a;b",
]
GOOD = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._~-]{0,30}", fullmatch=True)


@pytest.mark.parametrize("bad", BAD)
def test_case_9_what_names_no_resource_raises(bad):
    with pytest.raises(ValueError, match="cannot stand in the path"):
        paths.item("/projects", bad)


@pytest.mark.parametrize("bad", [bad for bad in BAD if bad != "a/b"])
def test_case_9_a_path_with_such_a_segment_raises(bad):
    with pytest.raises(ValueError, match="path"):
        paths.checked(f"/projects/{bad}/resources")


@pytest.mark.parametrize("bad", ["", "projects", "//evil.example", "http://evil.example/projects", "/", "/projects/"])
def test_a_path_starts_at_the_gateway(bad):
    with pytest.raises(ValueError, match="path"):
        paths.checked(bad)


@given(st.text())
def test_whatever_passes_is_one_segment_of_the_url_unchanged(text):
    try:
        path = paths.item("/projects/p1/providers/Aruba.Network/vpcs", text)
    except ValueError:
        return
    url = URL("https://api.example" + path)
    assert url.raw_path.decode() == path == f"/projects/p1/providers/Aruba.Network/vpcs/{text}"
    assert (url.host, url.query, url.fragment) == ("api.example", b"", "")


@given(st.lists(GOOD, min_size=1))
def test_plain_segments_pass(parts):
    path = "/" + "/".join(parts)
    assert paths.checked(path) == path


@pytest.mark.parametrize(
    ("path", "project", "label"),
    [
        ("/projects", "", "projects"),
        ("/projects/p1", "p1", "projects"),
        ("/projects/p1/resources", "p1", "resources"),
        ("/projects/p1/providers/Aruba.Network/vpcs", "p1", "vpcs"),
        ("/projects/p1/providers/Aruba.Network/vpcs/v1", "p1", "vpcs"),
        ("/projects/p1/providers/Aruba.Network/vpcs/v1/subnets", "p1", "subnets"),
        ("/projects/p1/providers/Aruba.Network/vpcs/v1/subnets/s1", "p1", "subnets"),
        ("/projects/p1/providers/Aruba.Compute/cloudServers/c1/poweroff", "p1", "poweroff"),
        ("/projects/p1/providers/Aruba.Network", "p1", "other"),
        ("/elsewhere/x1", "", "elsewhere"),
    ],
)
def test_what_a_path_tells(path, project, label):
    assert (paths.project(path), paths.label(path)) == (project, label)
