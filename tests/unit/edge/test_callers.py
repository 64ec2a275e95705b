"""Who is let in by a bearer token, and what a caller learns who is not."""

from __future__ import annotations

import hmac

import pytest

from hooks.edge import Callers
from hooks.edge import callers as module
from tests.unit.edge.world import World

ONE, TWO = "first-token-of-the-test", "second-token-of-the-test"


def world(*tokens: str, trusted: bool = False) -> World:
    return World(authorise=Callers(lambda: tokens, trusted))


async def ask(world: World, hook: str = "sync", **headers: str):
    return await world.post(hook, headers=headers)


@pytest.mark.parametrize("hook", ["sync", "finalize", "customize"])
async def test_case_19_nobody_is_let_in_without_the_token(hook):
    """Case 19: no token, a wrong one, a part of it, another scheme: 401 before the body is read, and no echo of it."""
    here = world(ONE)
    for sent in ("", ONE, f"Bearer {ONE[:-1]}", f"Bearer {ONE}x", "Bearer ", f"Basic {ONE}", "Bearer wróng", "Bearer"):
        answer = await ask(here, hook, **({"authorization": sent.encode()} if sent else {}))
        assert answer.status_code == 401, sent
        assert answer.headers["www-authenticate"] == "Bearer"
        assert ONE[:8] not in answer.text
        assert "wr" not in answer.json()["error"]
    assert here.engine.calls == []
    assert ONE[:8] not in here.lines.getvalue()
    assert (await ask(here, hook, authorization=f"Bearer {ONE}")).status_code == 200
    assert (await ask(here, hook, authorization=f"bearer {ONE} ")).status_code == 200


async def test_while_one_token_replaces_another_both_are_good():
    here = world(ONE, TWO)
    for token, status in ((ONE, 200), (TWO, 200), ("third-token-of-the-test", 401)):
        assert (await ask(here, authorization=f"Bearer {token}")).status_code == status


@pytest.mark.parametrize(("trusted", "status"), [(True, 200), (False, 401)])
async def test_without_any_token_only_the_trusted_are_let_in(trusted, status):
    """Where a token was demanded once, its loss opens nothing."""
    assert (await ask(world(trusted=trusted))).status_code == status


async def test_case_19_every_token_is_compared_in_constant_time(monkeypatch):
    """Case 19: each comparison is hmac's, and none is spared because an earlier one matched."""
    seen = []
    monkeypatch.setattr(module, "compare_digest", lambda a, b: seen.append((a, b)) or hmac.compare_digest(a, b))
    await ask(world(ONE, TWO), authorization=f"Bearer {ONE}")
    assert seen == [(ONE.encode(), ONE.encode()), (ONE.encode(), TWO.encode())]


async def test_health_and_metrics_need_no_token():
    here = world(ONE)
    for path in ("/healthz", "/readyz", "/metrics"):
        assert (await here.client.get(path)).status_code == 200
