"""The HTTP edge: Metacontroller's calls in, the controllers' answers out (mc §2, interfaces, "Hooks")."""

from hooks.edge.app import build, waiting_app, watch_app
from hooks.edge.callers import OPEN, Callers, Front
from hooks.edge.gate import Gate, Limits
from hooks.edge.health import Health, Peer
from hooks.edge.server import CannotListen, Server, serve, told_to_stop
from hooks.edge.tls import Certificates

__all__ = [
    "OPEN",
    "Callers",
    "CannotListen",
    "Certificates",
    "Front",
    "Gate",
    "Health",
    "Limits",
    "Peer",
    "Server",
    "build",
    "serve",
    "told_to_stop",
    "waiting_app",
    "watch_app",
]
