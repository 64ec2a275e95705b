"""Whatever the published schemas allow to be sent, the simulated cloud answers as declared, and never with 5xx.

Schemathesis generates the calls, seeded; they go to a furnished cloud, half of them with ids that exist there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import looptime
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core import NOT_SET
from schemathesis.core.result import Ok

from hooks.http import Response
from tests.contract.exceptions import excuse
from tests.contract.oracle import judge, load
from tests.contract.session import build
from tests.unit.simulator.caller import Session

EXAMPLES = 15
FILES = ("project", "network-provider", "compute-provider", "compute-provider_v1.1", "storage-provider")
NINE_KINDS = re.compile(r"/projects.*")
OTHERS = re.compile(r"loadBalancers|vpcPeerings|vpnTunnels|backups")


def _operations() -> list[Any]:
    found = []
    for name in FILES:
        schema = schemathesis.openapi.from_dict(load(f"{name}.json"))
        found += [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    return [one for one in found if NINE_KINDS.match(one.path) and not OTHERS.search(one.path)]


OPERATIONS = _operations()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.label)
def test_only_declared_answers(operation: Any) -> None:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        session, made = runner.run(_furnished())

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), real=st.booleans())
        def fuzz(case: Any, real: bool) -> None:
            answer = runner.run(_send(session, case, _ids(operation.path, made) if real else {}))
            found = judge(operation.method.upper(), answer.request.url.path, answer.status_code, answer.content)
            assert [violation for violation in found if excuse(violation) is None] == []

        fuzz()


def test_nothing_is_left_out() -> None:
    assert len(OPERATIONS) == 58


async def _furnished() -> tuple[Session, dict[str, str]]:
    session = Session()
    await session.login("one", "secret-1")
    return session, await build(session)


def _ids(path: str, made: Mapping[str, str]) -> dict[str, str]:
    """The ids of the furnished cloud that fit the placeholders of a declared path."""
    owner = path.rstrip("/").rpartition("/{")[0].rpartition("/")[2]
    leaf = {"vpcs": "vpc", "subnets": "subnet", "securityGroups": "group", "securityRules": "rule0"}
    leaf |= {"elasticIps": "ip", "keyPairs": "key", "blockStorages": "data", "snapshots": "snapshot"}
    names = {"projectId": "project", "vpcId": "vpc", "securityGroupId": "group", "keyPairId": "key"}
    names |= {"cloudServerId": "server", "id": leaf.get(owner, "project")}
    return {name: made[kind][-24:] for name, kind in names.items()}


async def _send(session: Session, case: Any, ids: Mapping[str, str]) -> Response:
    await asyncio.sleep(1)
    case.path_parameters = {name: ids.get(name, value) for name, value in (case.path_parameters or {}).items()}
    body = None if case.body is NOT_SET else case.body
    content = {} if body is None else {"json": body}
    query = {name: str(value) for name, value in (case.query or {}).items()}
    return await session.client.request(case.method, case.formatted_path, params=query, **content)
