"""What `status.state` means (api §6). The table is total: a state nobody has met is a class of its own."""

from __future__ import annotations

from enum import Enum


class Standing(Enum):
    """The classes of states that anything is decided by."""

    CHANGING = "changing"
    READY = "ready"
    FAILED = "failed"
    LEAVING = "leaving"
    GONE = "gone"
    UNKNOWN = "unknown"


_CLASSES = {
    Standing.CHANGING: "InCreation Creating Pending Provisioning Updating Enabling Disabling",
    Standing.READY: "Active Running Stopped NotUsed Used InUse Reserved Available PoweredOff Shutdown",
    Standing.FAILED: "Failed Error Errored Faulted Disabled",
    Standing.LEAVING: "Deleting",
    Standing.GONE: "Deleted",
}
_TABLE = {state.lower(): standing for standing, states in _CLASSES.items() for state in states.split()}


class States(Enum):
    """How a kind shows its state."""

    SHOWN = "shown"
    """Always in `status.state`; an empty one means not yet known."""
    SHOWN_OR_EXISTS = "shown or exists"
    """In `status.state` on some services; without one, existence is readiness (key pairs, api §8.6)."""
    EXISTS = "exists"
    """No state at all: existence is readiness (projects, api §8.1)."""


def standing(states: States, state: str) -> Standing:
    """The class of a state, for a kind that shows states in this way."""
    if states is States.EXISTS:
        return Standing.READY
    if not state:
        return Standing.READY if states is States.SHOWN_OR_EXISTS else Standing.CHANGING
    return _TABLE.get(state.lower(), Standing.UNKNOWN)
