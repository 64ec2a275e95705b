"""What `doctor` looks at, one module a subject; `release` asks some of the same questions before it acts.

Nothing here writes, and nothing raises for what a cluster holds: each check says what it found and how to mend it.
"""

from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn

__all__ = ["Finding", "fail", "ok", "unseen", "warn"]
