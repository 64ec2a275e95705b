from __future__ import annotations

import pytest

from tests.supply.pins import IMAGE, read

GOOD = f"alpha==1.0 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n"


def listed(tmp_path, text):
    path = tmp_path / "some.txt"
    path.write_text(text, "utf-8")
    return read(path)


def test_a_pin_has_its_name_version_marker_and_hashes(tmp_path):
    text = f"# why\nBig_Name==2!1.0.post1 ; sys_platform == 'win32' \\\n    --hash=sha256:{'c' * 64}\n{GOOD}"
    found = listed(tmp_path, text)
    assert found.faults == ()
    first, second = found.pins
    assert (first.name, first.version, first.hashes) == ("big-name", "2!1.0.post1", ("sha256:" + "c" * 64,))
    assert not first.wanted(IMAGE)
    assert second.wanted(IMAGE)
    assert len(second.hashes) == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("alpha>=1.0\n", "some.txt:1: alpha>=1.0 is not one version: pin it with =="),
        ("alpha\n", "some.txt:1: alpha is not one version"),
        ("alpha==1.*\n", "some.txt:1: alpha==1.* is not one version"),
        ("alpha==1.0,!=1.1\n", "is not one version"),
        ("alpha==1.0\n", "some.txt:1: alpha has no hash"),
        ("alpha==1.0 --hash=md5:abc\n", "alpha: md5:abc is no sha256 hash"),
        ("alpha==1.0 --hash=sha256:abc\n", "alpha: sha256:abc is no sha256 hash"),
        ("--index-url https://index.example/simple\n", "some.txt:1: --index-url is an option of pip"),
        ("--extra-index-url=https://index.example\n", "--extra-index-url is an option"),
        ("-e .\n", "-e is an option"),
        ("alpha @ https://files.example/a.whl\n", "alpha comes from an address of its own"),
        ("https://files.example/a.whl\n", "is not a requirement"),
        (f"{GOOD}ALPHA==2.0 --hash=sha256:{'d' * 64}\n", "some.txt: alpha is listed twice"),
        (f"{GOOD}{GOOD}", "some.txt: alpha is listed twice"),
        (f"{GOOD}# more\nbeta==1\n", "some.txt:5: beta has no hash"),
    ],
)
def test_each_fault_is_told_with_its_line(tmp_path, text, fault):
    found = listed(tmp_path, text).faults
    assert any(fault in line for line in found), found


def test_one_name_under_markers_that_exclude_each_other_is_no_duplicate(tmp_path):
    hashed = f"--hash=sha256:{'e' * 64}"
    text = f"a==1 ; sys_platform == 'win32' {hashed}\na==2 ; sys_platform != 'win32' {hashed}\n"
    assert listed(tmp_path, text).faults == ()
