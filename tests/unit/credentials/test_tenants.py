"""What is kept of each tenant's pair, when it is read again, and whom a look-up holds up (cases 75, 79)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.tenants import DOUBTED, FRUITLESS, Ages, Tenants
from hooks.aruba.credentials.vaulted import Found, Look
from hooks.aruba.model.failure import Failure
from tests.world.time import LoopClock

ONE, TWO = Credential("id-1", "secret-1"), Credential("id-2", "secret-2")


class Source:
    """Answers with `now`, after `delay` seconds; `asked` are the tenants that were looked up."""

    def __init__(self, **tenants: Look) -> None:
        self.now = {name.replace("_", "-"): look for name, look in tenants.items()}
        self.delay: dict[str, float] = {}
        self.asked: list[str] = []
        self.tenants = Tenants(self.look, lambda: Ages(300, 3600), LoopClock(), self.aside)

    def look(self, tenant: str) -> Look:
        return self.now.get(tenant, Look(Found.MISSING, None, "there is no secret"))

    async def aside(self, look: Callable[[str], Look], tenant: str) -> Look:
        self.asked.append(tenant)
        await asyncio.sleep(self.delay.get(tenant, 0.01))
        return look(tenant)

    async def ask(self, tenant: str = "t-1") -> Credential | Failure:
        return await self.tenants.credential(tenant)


def found(pair: Credential) -> Look:
    return Look(Found.OK, pair)


DOWN, GONE = Look(Found.DOWN, None, "Vault is sealed"), Look(Found.MISSING, None, "there is no secret")


async def test_one_look_up_for_all_who_ask_and_one_for_each_tenant() -> None:
    source = Source(t_1=found(ONE), t_2=found(TWO))
    pairs = await asyncio.gather(*(source.ask(f"t-{number % 2 + 1}") for number in range(40)))
    assert pairs == [ONE, TWO] * 20
    assert sorted(source.asked) == ["t-1", "t-2"]


async def test_case_75_a_slow_tenant_holds_up_only_itself() -> None:
    source = Source(t_1=found(ONE), t_2=found(TWO))
    source.delay["t-1"] = 20
    slow = asyncio.ensure_future(source.ask("t-1"))
    await asyncio.sleep(0)
    began = LoopClock().monotonic()
    assert await source.ask("t-2") == TWO
    assert LoopClock().monotonic() - began < 0.1
    assert await slow == ONE


async def test_an_old_pair_is_read_again_beside_the_work() -> None:
    source = Source(t_1=found(ONE))
    await source.ask()
    source.now["t-1"], source.delay["t-1"] = found(TWO), 5
    await asyncio.sleep(301)
    began = LoopClock().monotonic()
    assert await source.ask() == ONE
    assert LoopClock().monotonic() == began
    await asyncio.sleep(6)
    assert await source.ask() == TWO
    assert source.asked == ["t-1"] * 2


async def test_case_75_an_outage_is_bridged_for_a_bounded_time_and_looked_at_each_minute() -> None:
    source = Source(t_1=found(ONE))
    await source.ask()
    source.now["t-1"] = DOWN
    for _ in range(3590):
        await asyncio.sleep(1)
        assert await source.ask() == ONE
    assert 3300 / FRUITLESS[1] <= len(source.asked) <= 3300 / FRUITLESS[1] + 6
    await asyncio.sleep(11)
    failure = await source.ask()
    assert isinstance(failure, Failure)
    assert failure.text == "tenant t-1: Vault is sealed"
    source.now["t-1"] = found(ONE)
    await asyncio.sleep(FRUITLESS[1])
    assert await source.ask() == ONE


async def test_a_pair_that_vault_says_is_gone_ends_at_the_next_look() -> None:
    source = Source(t_1=found(ONE))
    await source.ask()
    source.now["t-1"] = GONE
    await asyncio.sleep(301)
    await source.ask()
    await asyncio.sleep(1)
    assert isinstance(await source.ask(), Failure)


async def test_what_is_not_there_is_looked_up_ever_less_often() -> None:
    source = Source()
    for _ in range(600):
        assert isinstance(await source.ask(), Failure)
        await asyncio.sleep(1)
    assert 10 <= len(source.asked) <= 14


async def test_case_79_a_refused_pair_is_read_again_at_once_and_once() -> None:
    source = Source(t_1=found(ONE))
    await source.ask()
    await asyncio.sleep(DOUBTED)
    source.now["t-1"] = found(TWO)
    for _ in range(100):
        source.tenants.refused("t-1", ONE)
    assert await asyncio.gather(*(source.ask() for _ in range(20))) == [TWO] * 20
    source.tenants.refused("t-1", ONE)  # who comes late with the old one starts nothing
    assert await source.ask() == TWO
    assert len(source.asked) == 2


async def test_case_77_a_pair_refused_for_ever_is_read_again_now_and_then() -> None:
    source = Source(t_1=found(ONE))
    for _ in range(100):
        pair = await source.ask()
        assert pair == ONE
        source.tenants.refused("t-1", ONE)
        await asyncio.sleep(1)
    assert 8 <= len(source.asked) <= 100 / DOUBTED + 1


@pytest.mark.parametrize("look", [DOWN, Look(Found.REFUSED, None, "refused")])
async def test_case_79_a_refused_pair_stays_while_vault_cannot_be_used(look: Look) -> None:
    """There is nothing better, and the one who refused may be wrong."""
    source = Source(t_1=found(ONE))
    await source.ask()
    await asyncio.sleep(DOUBTED)
    source.now["t-1"] = look
    source.tenants.refused("t-1", ONE)
    assert await source.ask() == ONE


async def test_an_asker_that_gives_up_does_not_end_the_look_up_of_the_others() -> None:
    source = Source(t_1=found(ONE))
    source.delay["t-1"] = 3
    hasty, patient = (asyncio.ensure_future(source.ask()) for _ in range(2))
    await asyncio.sleep(1)
    hasty.cancel()
    assert await patient == ONE
    assert source.asked == ["t-1"]
