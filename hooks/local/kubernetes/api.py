"""The whole Kubernetes API put together: the store, what is served, the controllers, the HTTP face.

`hooks.local` and the tests make one.
"""

from __future__ import annotations

from hooks.clock import Clock, Random
from hooks.local.kubernetes.app import App
from hooks.local.kubernetes.builtin import builtin
from hooks.local.kubernetes.calls import Rooms
from hooks.local.kubernetes.definitions import Definitions
from hooks.local.kubernetes.lifecycle import Lifecycle, Options
from hooks.local.kubernetes.namespaces import INITIAL, Namespaces
from hooks.local.kubernetes.owners import Owners
from hooks.local.kubernetes.resources import Served
from hooks.local.kubernetes.store import HISTORY, Store


class KubernetesApi:
    """A small Kubernetes API in memory. `app` is an ASGI application, to be used from one event loop.

    `history` is how many changes of each resource can still be watched from the past.
    """

    def __init__(self, clock: Clock, dice: Random, history: int = HISTORY) -> None:
        self._store = Store(history)
        served = Served(builtin())
        life = Lifecycle(self._store, clock, dice)
        controllers = (Definitions(served, life), Namespaces(served, life), Owners(served, life))
        self._store.observers = [controller.observe for controller in controllers]
        for name in INITIAL:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            life.create(served.required("", "v1", "namespaces"), "", body, Options(manager="kube-apiserver"))
        self.app = App(Rooms(served, life, clock, dice))

    async def aclose(self) -> None:
        """End all watches, so that a server over `app` can stop."""
        self._store.close()
