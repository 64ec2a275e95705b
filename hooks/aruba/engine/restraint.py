"""What may not happen, whatever was decided: `suspend` stops everything, `mode: observe` what would reach the cloud.

Used by `reconcile`, between `decide` and `act`. Pure.
"""

from __future__ import annotations

from hooks.aruba.engine.story import Known
from hooks.aruba.engine.values import Step, Wish

SENDS = frozenset({Step.ANNOUNCE, Step.CREATE, Step.CHANGE, Step.DELETE, Step.CASCADE, Step.REMARK})
"""What changes something in the cloud, or leads to that: deleted children have resources too."""


def restrained(step: Step, known: Known) -> Step:
    """The step that is taken instead, or this one. Letting go reaches no cloud, so nothing stands against it."""
    asked_for = known.wish is Wish.ORPHAN and known.policies.deletion == "orphan"
    if asked_for or known.wish is Wish.RELEASE:
        return step
    if known.policies.suspended:
        return Step.SUSPEND
    by_name = step is Step.ADOPT and not known.named
    return Step.PROPOSE if known.policies.observing and (step in SENDS or by_name) else step
