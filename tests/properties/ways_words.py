"""What the engine can say of an object, collected from its sources: the words of `Ready.reason`, and phases with them.

A pair stands in the sources where a verdict names both, or where a helper that makes verdicts of one phase is given the
word. A new word or verdict shows up here by itself, and `test_ways_out` then asks for a way to it and out of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import hooks.aruba.engine
from hooks.aruba.model.phases import Phase

Pair = tuple[str, str]
WORD = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*")
SPEAKS = re.compile(r"\bVerdict\(|\bEffect\(|\bready_reason=")
NO_REASONS = frozenset({"Ready", "Stalled", "True", "False", "Unknown", "Changing", "It"})
"""Words of that form in those modules that are something else: names and values of conditions, words of a sentence."""
COMPUTED = frozenset(
    {"SnapshotsExist", "TenantMismatch", *(str(p) for p in (Phase.UPDATING, Phase.WAITING, Phase.PROVISIONING))}
)
"""Words that are put together: from the name of a phase, or of what keeps a resource from going."""


def sources() -> list[ast.Module]:
    """The modules that make verdicts."""
    texts = [path.read_text() for path in sorted(Path(hooks.aruba.engine.__file__).parent.glob("*.py"))]
    return [ast.parse(text) for text in texts if SPEAKS.search(text)]


def words() -> set[str]:
    nodes = [node for tree in sources() for node in ast.walk(tree)]
    constants = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in constants if WORD.fullmatch(text)} - NO_REASONS | COMPUTED


def pairs() -> set[Pair]:
    found: set[Pair] = set()
    for tree in sources():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        makers = {function.name: made for function in functions if (made := _maker(function))}
        for call in _calls(tree):
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            phase, at = makers.get(name) or (_phase(call) if name == "Verdict" else "", 3)
            if phase and at < len(call.args):
                found |= {(phase, word) for word in _constants(call.args[at])}
    return found


def _maker(function: ast.FunctionDef) -> tuple[str, int] | None:
    """The phase of a helper's verdicts and the place of the argument that becomes their word."""
    names = [argument.arg for argument in function.args.args]
    for call in _calls(function):
        named = isinstance(call.func, ast.Name) and call.func.id == "Verdict" and len(call.args) > 3 and _phase(call)
        word = call.args[3] if named else None
        if named and isinstance(word, ast.Name) and word.id in names:
            return str(named), names.index(word.id)
    return None


def _phase(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    told = isinstance(first, ast.Attribute) and isinstance(first.value, ast.Name) and first.value.id == "Phase"
    return str(Phase[first.attr]) if told and isinstance(first, ast.Attribute) else ""


def _constants(node: ast.expr) -> Iterator[str]:
    """The words that an expression may come to."""
    if isinstance(node, ast.Constant) and node.value:
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))
