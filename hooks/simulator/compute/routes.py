"""The compute family's paths: key pairs, servers, and the servers' actions (api §8.6, §8.9)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.simulator.api import Asked, Handler, endpoint
from hooks.simulator.collection import Collection
from hooks.simulator.compute import actions
from hooks.simulator.compute.keypair import KeyPairRules
from hooks.simulator.compute.server import CloudServerRules
from hooks.simulator.validation import Reader
from hooks.simulator.world import World

ACTIONS: Mapping[str, actions.Action] = MappingProxyType(
    {
        "poweron": actions.power("Active", needed="Stopped"),
        "poweroff": actions.power("Stopped", needed="Active"),
        "associateDisassociateSubnets": actions.subnets,
        "associateDisassociateSecurityGroups": actions.groups,
        "associateDisassociateElasticIPs": actions.elastic_ips,
        "attachDetachDataVolumes": actions.volumes,
        "restore": actions.restore,
    }
)


def collections(world: World) -> list[Collection]:
    return [Collection(world, KeyPairRules()), Servers(world, CloudServerRules())]


class Servers(Collection):
    """Cloud servers and what can be done to one."""

    def routes(self) -> list[Route]:
        handlers = {name: self._action(action) for name, action in ACTIONS.items()} | {"password": self.password}
        item = f"{self.kind.pattern}/{{cloudserver}}"
        named = [endpoint(self.world, f"{item}/{name.lower()}", {"POST": does}) for name, does in handlers.items()]
        return [*super().routes(), *named]

    def password(self, asked: Asked) -> Response:
        """Nothing of it is kept."""
        actions.refuse_while_changing(self.living(asked))
        sent = Reader(asked.body)
        sent.text("password", required=True)
        sent.check()
        return Response(status_code=204)

    def _action(self, action: actions.Action) -> Handler:
        def act(asked: Asked) -> Response:
            server, sent = self.living(asked), Reader(asked.body)
            sent.check()
            actions.refuse_while_changing(server)
            action(self.world, server, sent)
            return JSONResponse(self.body(server), 202)

        return act
