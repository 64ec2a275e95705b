"""The only place that assembles the house: the same operator for `serve`, for local mode and for tests.

Rooms are handed plain values and each other; nobody but this package knows them all. `local` is imported by its
commands alone, since it needs more packages than a production image has.
"""

from hooks.stack.operator import Operator, assemble, origin, policy, pool, told
from hooks.stack.serving import serve
from hooks.stack.sources import sources

__all__ = ["Operator", "assemble", "origin", "policy", "pool", "serve", "sources", "told"]
