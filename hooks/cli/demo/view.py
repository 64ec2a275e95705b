"""How the demo looks: a live table on a terminal, one line a change elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hooks.cli.demo.world import Figures, Object
from hooks.clock import Clock

COLOURS = {"Active": "green", "Failed": "red", "Deleting": "magenta", "Deleted": "magenta", "Pending": "dim"}
GONE = "gone"
WIDTH = 36
"""Columns for the longest name."""


class View:
    """Prints the story to stdout as it happens."""

    def __init__(self, clock: Clock, console: Console | None = None) -> None:
        self._clock = clock
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._phases: dict[str, str] = {}
        self._live: Live | None = None

    def say(self, text: str) -> None:
        self._console.print(Text(f"\n{text}", style="bold"))

    def quote(self, text: str) -> None:
        """What a command printed, set in."""
        self._console.print(Text("\n".join(f"  {line}" for line in text.strip().splitlines()), style="dim"))

    @contextmanager
    def live(self) -> Iterator[None]:
        """On a terminal one table is redrawn while the block runs."""
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, refresh_per_second=8) as self._live:
            yield
        self._live = None

    def show(self, objects: list[Object], elapsed: float) -> None:
        """The phases as they are; whatever was there before and is not now is gone."""
        now = {_name(o): str(o.get("status", {}).get("phase") or "new") for o in objects}
        now |= {name: GONE for name in self._phases if name not in now}
        if self._live is not None:
            self._live.update(_table(objects, now, elapsed))
        else:
            for name, phase in now.items():
                if self._phases.get(name) != phase:
                    self._console.print(Text(f"  {elapsed:5.1f} s  {name:<{WIDTH}} {phase}"))
        self._phases = now

    def ids(self, objects: list[Object]) -> None:
        """Each object's ID in the cloud."""
        for item in objects:
            address = item["status"].get("address") or item["status"].get("addresses") or ""
            self._console.print(Text(f"  {_name(item):<{WIDTH}} {item['status']['resourceID']}  {address}".rstrip()))

    def summary(self, to_active: float, to_gone: float, seen: Figures) -> None:
        """The figures, from the cloud's own books."""
        methods = ", ".join(f"{method} {count}" for method, count in sorted(seen.methods.items()))
        rows = {
            "all Active after": f"{to_active:.1f} s",
            "all gone after": f"{to_gone:.1f} s",
            "cloud calls": f"{sum(seen.methods.values())} ({methods}), refused {seen.refused}",
            "hook calls": str(seen.hook_calls),
            "resources made": str(seen.made),
            "duplicates": str(seen.duplicates),
            "leftovers": str(seen.leftovers),
        }
        self.say("Summary")
        for name, value in rows.items():
            self._console.print(Text(f"  {name:<18} {value}"))


def _name(item: Object) -> str:
    space, name = item["metadata"]["namespace"], item["metadata"]["name"]
    return f"{item['kind']} {name}" if space == "default" else f"{item['kind']} {space}/{name}"


def _table(objects: list[Object], phases: dict[str, str], elapsed: float) -> Table:
    table = Table(title=f"{elapsed:.1f} s", title_justify="left", expand=False)
    for heading in ("Object", "Phase", "Message"):
        table.add_column(heading, overflow="ellipsis", no_wrap=True, max_width=70)
    messages = {_name(o): str(o.get("status", {}).get("message") or "") for o in objects}
    for name, phase in phases.items():
        table.add_row(name, Text(phase, style=COLOURS.get(phase, "cyan")), Text(messages.get(name, ""), style="dim"))
    return table
