"""An Aruba Cloud that runs on a laptop: an ASGI app written from the published API, to try and test the operator with.

It shares nothing with the operator: not a type, not a constant, so that a mistake in one does not hide in the other.
"""

from hooks.simulator.app import Simulator, token_path
from hooks.simulator.edge import ADMIN, Dropped
from hooks.simulator.timings import FAST, REALISTIC, Timings, load_timings

__all__ = ["ADMIN", "FAST", "REALISTIC", "Dropped", "Simulator", "Timings", "load_timings", "token_path"]
