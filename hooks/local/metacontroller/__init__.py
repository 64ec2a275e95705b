"""A small engine of Metacontroller's contract, to try and test the hooks without a cluster (design §9).

It decodes raw JSON by the written contract and shares no code with the hooks, so that a mistake of theirs shows.
`hooks local` and the tests' backends run it; it is for trying, never for production.
"""

from hooks.local.metacontroller.api import Resource
from hooks.local.metacontroller.cache import Delivery
from hooks.local.metacontroller.errors import UnmodelledError
from hooks.local.metacontroller.run import Metacontroller

__all__ = ["Delivery", "Metacontroller", "Resource", "UnmodelledError"]
