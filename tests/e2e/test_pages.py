"""No command of a page that is walked is left out: each of its sections is in some walk."""

from __future__ import annotations

import re

import pytest

from tests.pages import TOP, steps

PAGES = {
    "docs/how-to/install.md": ("test_install", "test_upgrade", "test_trust", "test_vault"),
    "docs/how-to/kustomize.md": ("test_kustomize",),
    "docs/how-to/migrate.md": ("test_migrate",),
}
"""By the tests that walk it."""


@pytest.mark.parametrize("page", PAGES)
def test_every_section_with_a_command_is_walked(page: str) -> None:
    code = "".join((TOP / "tests" / "e2e" / f"{name}.py").read_text() for name in PAGES[page])
    named = set(re.findall(r'"([^"\n]+)"', code))
    asked = {step.section for step in steps(page) if not step.file}
    assert asked
    assert asked <= named
