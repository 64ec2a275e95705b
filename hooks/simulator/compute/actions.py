"""How a server changes: power, and what is attached to it, by calls of its own (api §8.9).

Each action puts the server into `Updating`; volumes and addresses that come or go are `Updating` as well, and both
sides show the new link when that is over. Used by the family's routes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from hooks.simulator import lifecycle
from hooks.simulator.compute import holdings
from hooks.simulator.compute.server import bind, plug
from hooks.simulator.errors import dependency, not_settled, wrong_state
from hooks.simulator.network.elasticip import ELASTIC_IP
from hooks.simulator.network.security import SECURITY_GROUP
from hooks.simulator.network.subnet import SUBNET
from hooks.simulator.resource import TRANSITORY, Json, Kind, Resource, unlink
from hooks.simulator.storage.volume import VOLUME
from hooks.simulator.validation import Reader, last_segment
from hooks.simulator.world import World

Action = Callable[[World, Resource, Reader], None]


def power(end: str, needed: str) -> Action:
    """`poweron` ends in Active and needs Stopped; `poweroff` the other way round."""

    def act(world: World, server: Resource, sent: Reader) -> None:
        if server.state != needed:
            raise not_settled("cloudServer")

        def done(when: datetime) -> None:
            server.hidden["power"] = end

        lifecycle.begin(world, server, "Updating", "action", done)

    return act


def volumes(world: World, server: Resource, sent: Reader) -> None:
    coming = [_wanted(world, server, VOLUME, uri) for uri in sent.uris("volumesToAttach")]
    going = [_held(server, VOLUME, uri) for uri in sent.uris("volumesToDetach")]
    for volume in coming:
        holdings.check_zone(sent, volume, server.properties["dataCenter"], "volumesToAttach")
    sent.check()
    if server.hidden["boot"] in going:
        raise dependency("boot volume can't be detached")
    _move(world, server, coming, going, "attach")


def elastic_ips(world: World, server: Resource, sent: Reader) -> None:
    coming = [_wanted(world, server, ELASTIC_IP, uri) for uri in sent.uris("elasticIPsToAssociate")]
    going = [_held(server, ELASTIC_IP, uri) for uri in sent.uris("elasticIPsToDisassociate")]
    sent.check()
    _move(world, server, coming, going, "action")


def groups(world: World, server: Resource, sent: Reader) -> None:
    coming = holdings.inside(world, server.hidden["vpc"], SECURITY_GROUP, sent, "securityGroupsToAssociate")
    going = [_held(server, SECURITY_GROUP, uri) for uri in sent.uris("securityGroupsToDisassociate")]
    sent.check()
    _keep_one(server, SECURITY_GROUP, coming, going)
    lifecycle.begin(world, server, "Updating", "action", _swap(server, coming, going))


def subnets(world: World, server: Resource, sent: Reader) -> None:
    coming = holdings.inside(world, server.hidden["vpc"], SUBNET, sent, "subnetsToAssociate")
    going = [_held(server, SUBNET, uri) for uri in sent.uris("subnetsToDisassociate")]
    sent.check()
    _keep_one(server, SUBNET, coming, going)
    swap = _swap(server, coming, going)

    def done(when: datetime) -> None:
        swap(when)
        interfaces = [one for one in server.hidden["interfaces"] if one["subnet"] not in going]
        here = [one["subnet"] for one in interfaces]
        added: list[Json] = [{"subnet": one, "mac": None, "ip": None} for one in coming if one not in here]
        server.hidden["interfaces"] = interfaces + added
        plug(world, server)

    lifecycle.begin(world, server, "Updating", "action", done)


def restore(world: World, server: Resource, sent: Reader) -> None:
    """The content of another volume takes the place of the boot disk's; the volumes stay what they are."""
    uri = sent.uri("volumeToRestore", required=True)
    sent.check()
    _wanted(world, server, VOLUME, uri or "")
    lifecycle.begin(world, server, "Updating", "action")


def refuse_while_changing(server: Resource) -> None:
    if server.state in TRANSITORY:
        raise wrong_state()
    if not server.settled:
        raise not_settled("cloudServer")


def _wanted(world: World, server: Resource, kind: Kind, uri: str) -> Resource:
    found = holdings.must(world, server.project, kind, uri, kind.typology)
    holdings.check_free(found, kind.typology)
    return found


def _held(server: Resource, kind: Kind, uri: str) -> Resource:
    for one in server.bound(kind.name):
        if one.id == last_segment(uri):
            return one
    raise dependency(f"{kind.typology} is not associated")


def _keep_one(server: Resource, kind: Kind, coming: list[Resource], going: list[Resource]) -> None:
    """A server needs at least one subnet and one group."""
    if not {*server.bound(kind.name), *coming} - set(going):
        raise dependency(f"at least one {kind.typology} must remain")


def _move(world: World, server: Resource, coming: list[Resource], going: list[Resource], operation: str) -> None:
    """The server and what moves change side by side, for the same time."""
    lifecycle.begin(world, server, "Updating", operation, _swap(server, coming, going))
    pace = world.timings.pace(server.kind.name, operation)
    for one in (*coming, *going):
        lifecycle.begin_at(world, one, "Updating", pace)


def _swap(server: Resource, coming: list[Resource], going: list[Resource]) -> Callable[[datetime], None]:
    def done(when: datetime) -> None:
        for one in going:
            unlink(server, one)
            lifecycle.calm(one, when)
        for one in coming:
            if one.alive:
                bind(server, one, when)

    return done
