"""Tokens of the cloud as the source of pairs sees them: clocks that jump, pairs that change (cases 76, 79)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.tenants import DOUBTED, Ages, Tenants
from hooks.aruba.credentials.vaulted import Found, Look
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from tests.unit.cloud.script import CREATE, Reply, World


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1)])
async def test_case_76_a_clock_that_jumps_neither_ends_nor_lengthens_a_token(jump: timedelta) -> None:
    world = World()
    await world.send()
    world.clock.off = jump
    await asyncio.sleep(60)
    await world.send()
    assert world.login.count() == 1
    await asyncio.sleep(3600)
    await world.send()
    assert world.login.count() == 2


class Vault:
    """Holds one pair for every tenant; `reads` are its look-ups."""

    def __init__(self, pair: Credential) -> None:
        self.pair = pair
        self.reads = 0

    def look(self, tenant: str) -> Look:
        self.reads += 1
        return Look(Found.OK, self.pair)


async def at_once(look, tenant):
    return look(tenant)


async def test_case_79_after_a_refusal_vault_is_read_once_and_then_a_token_is_asked_for() -> None:
    """A hundred calls under way when the pair is exchanged: none fails, one look, one token of the new pair."""
    world, vault = World(), Vault(Credential("id-1", "secret-1"))
    cloud = world.made(Tenants(vault.look, Ages, world.clock, at_once))
    assert await cloud.send("t-100", CREATE, world.deadline()) == Live({})
    await asyncio.sleep(DOUBTED)
    vault.pair, world.keycloak.clients = Credential("id-2", "secret-2"), {"id-2": "secret-2"}
    world.api.handler = lambda asked: Reply(401 if asked.bearer == "token-1" else 200, {}, delay=0.02)
    answers = await asyncio.gather(*(cloud.send("t-100", CREATE, world.deadline()) for _ in range(100)))
    assert answers == [Live({})] * 100
    assert vault.reads == 2
    assert list(world.keycloak.owner.values()) == ["id-1", "id-2"]


async def test_case_79_a_refused_pair_that_vault_still_holds_is_not_read_with_every_call() -> None:
    world, vault = World(), Vault(Credential("id-1", "wrong"))
    cloud = world.made(Tenants(vault.look, Ages, world.clock, at_once))
    for _ in range(60):
        failure = await cloud.send("t-100", CREATE, world.deadline())
        assert isinstance(failure, Failure)
        assert failure.cause is Cause.CREDENTIALS
        await asyncio.sleep(1)
    assert vault.reads <= 60 / DOUBTED + 2
    assert world.api.count() == 0
