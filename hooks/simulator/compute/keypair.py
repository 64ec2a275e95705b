"""Key pairs (api §8.6): imported public keys; nothing about them can change."""

from __future__ import annotations

import re

from hooks.simulator.compute import responses
from hooks.simulator.project.rules import PROJECT
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.world import World

KEY_PAIR = Kind("KeyPair", "keyPairs", "keyPair", PROJECT, "Aruba.Compute")
_PUBLIC_KEY = re.compile(r"(?:ssh-|ecdsa-|sk-)\S+\s+\S+.*", re.DOTALL)


class KeyPairRules(Rules):
    kind = KEY_PAIR
    regional = True
    owned = False
    puts = None
    delete_body = True

    def draft(self, world: World, draft: Draft) -> Json:
        value = draft.properties.text("value", required=True)
        if value and not _PUBLIC_KEY.fullmatch(value.strip()):
            draft.properties.note("value", "an OpenSSH public key is expected")
        return {"value": value}

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.key_pair(world, resource)
