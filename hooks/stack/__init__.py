"""The only place that assembles the house: the same operator for `serve`, for local mode and for tests.

Rooms are handed plain values and each other; nobody but this package knows them all.
"""

from hooks.stack.local import LocalOptions, local
from hooks.stack.operator import Operator, assemble, policy, pool, serve, told

__all__ = ["LocalOptions", "Operator", "assemble", "local", "policy", "pool", "serve", "told"]
