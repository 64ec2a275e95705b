"""Phases and reasons as promised to users (promise/, behaviour §2.1)."""

from __future__ import annotations

from enum import StrEnum

GROUP = "arubacloud.com"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"


class Phase(StrEnum):
    """Where an object stands; also the type of the condition that says so."""

    PENDING = "Pending"
    CREATING = "Creating"
    PROVISIONING = "Provisioning"
    WAITING = "WaitingCondition"
    ACTIVE = "Active"
    UPDATING = "Updating"
    DELETING = "Deleting"
    DELETED = "Deleted"
    FAILED = "Failed"


TIMED = frozenset({Phase.CREATING, Phase.PROVISIONING, Phase.WAITING, Phase.UPDATING, Phase.DELETING})
"""Transitory phases: without progress for the time-out, the object is shown Failed."""


class Reason(StrEnum):
    """The seven reasons of a phase's condition."""

    SHALL_SYNCHRONIZE = "ShallSynchronize"
    SYNCHRONIZING = "Synchronizing"
    SYNCHRONIZED = "Synchronized"
    FAILED = "Failed"
    VALIDATION_FAILED = "ValidationFailed"
    INTENTION_FAILED = "IntentionValidationFailed"
    POST_FAILED = "PostValidationFailed"
