"""Runs `async def` tests: on a loop of virtual time, or on an ordinary one when marked `real_time`."""

from __future__ import annotations

import asyncio
import inspect

import looptime
import pytest
from hypothesis import settings

# The same inputs at every run, and no time limit on one of them: these machines are noisy.
settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_time: needs real sockets or processes, so real time")
    config.addinivalue_line("markers", "slow: takes more than a few seconds")
    config.addinivalue_line("markers", "every_kind(*kinds): alike for each kind; these, or some, run always")
    config.addinivalue_line("markers", "sweep: left to `make sweep`: the longest, and the other kinds")


CORE = ("Project", "BlockStorage", "SecurityRule")
"""A root, one that grows and keeps data, and the deepest one with words of its own: these run at every change."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        kind = getattr(item, "callspec", None) and item.callspec.params.get("kind")
        marked = item.get_closest_marker("every_kind")
        if isinstance(kind, str) and marked is not None and kind not in (marked.args or CORE):
            item.add_marker(pytest.mark.sweep)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    real = pyfuncitem.get_closest_marker("real_time") is not None
    wanted = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    factory = asyncio.new_event_loop if real else looptime.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(pyfuncitem.obj(**wanted))
    return True
