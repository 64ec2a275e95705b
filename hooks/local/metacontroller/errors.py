"""What can go wrong in a pass, told apart by what the queue then does (mc §2.6). Raised by every module here."""

from __future__ import annotations

__all__ = ["ApiError", "Busy", "EngineError", "HookError", "NotSynced", "UnmodelledError"]


class EngineError(Exception):
    """A pass that failed: a Warning Event on the parent, nothing written, back-off."""


class HookError(EngineError):
    """The webhook gave no usable answer."""


class ApiError(EngineError):
    """The Kubernetes API refused; `code` is its HTTP status."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class UnmodelledError(EngineError):
    """Asked for something that Metacontroller can do and this engine cannot."""


class Busy(Exception):
    """The webhook answered 429: look again `after` so many seconds, without Event and without back-off."""

    def __init__(self, after: int) -> None:
        super().__init__(f"too many requests, again after {after} s")
        self.after = after


class NotSynced(Exception):
    """A related kind is not listed yet: back-off without Event."""

    def __init__(self) -> None:
        super().__init__("related objects are not listed yet")
