"""One figure, and where the cloud calls of a life went. `__main__` prints what the measuring modules yield."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from hooks.simulator import token_path

Object = dict[str, Any]
ACTIONS = "attachDetachDataVolumes"


class Figure(NamedTuple):
    """Printed as `NAME VALUE UNIT`."""

    name: str
    value: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.4g} {self.unit}"


def collection(path: str) -> str:
    """The last word of a path that is a collection's name: IDs are hexadecimal, actions count for their resource."""
    if path == token_path():
        return "token"
    words = [word for word in path.split("/") if word and not _is_id(word) and word != ACTIONS]
    return words[-1]


def _is_id(word: str) -> bool:
    return len(word) >= 20 and all(letter in "0123456789abcdef-" for letter in word)


def purposes(calls: list[Object], deleting_from: int) -> Counter[str]:
    """Calls by purpose; `deleting_from` is the number of the first call after everything was asked to go.

    A listing whose next neighbour in its collection is a creation was the look before it; a read that found nothing
    after the DELETE was the proof; every other read asked how far the platform had come.
    """
    return Counter(_purpose(call, calls[i + 1 :], call["n"] >= deleting_from) for i, call in enumerate(calls))


def _purpose(call: Object, later: list[Object], deleting: bool) -> str:
    path, method = call["path"], call["method"]
    if path == token_path():
        return "token"
    if method != "GET":
        return {"DELETE": "delete"}.get(method, "attach" if path.endswith(ACTIONS) else "create")
    if deleting:
        return "proof" if call["status"] == 404 or path == "/projects" else "poll"
    following = next((c["method"] for c in later if c["path"].rstrip("/") == path), "")
    return "look" if following == "POST" else "poll"
