"""What may name a tenant: one rule for the schema, for validation and for whoever makes a path of it (cases 3)."""

from __future__ import annotations

import re

TENANT = r"^([A-Za-z0-9_][A-Za-z0-9._-]{0,126})?$"
"""The pattern in the CRDs; empty means that none is named."""


def fits(tenant: str) -> bool:
    """Whether a name can be one segment of a path and nothing else, whatever the schema let through."""
    return re.fullmatch(TENANT.strip("^$"), tenant) is not None and ".." not in tenant
