"""The HTTP edge: Metacontroller's calls in, the controllers' answers out (mc §2, interfaces, "Hooks")."""

from hooks.edge.app import build, metrics_app
from hooks.edge.gate import Gate, Limits
from hooks.edge.health import Health, Peer
from hooks.edge.server import CannotListen, Server, serve, told_to_stop

__all__ = [
    "CannotListen",
    "Gate",
    "Health",
    "Limits",
    "Peer",
    "Server",
    "build",
    "metrics_app",
    "serve",
    "told_to_stop",
]
