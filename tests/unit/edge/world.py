"""An edge with one controller whose answers a test writes, reached over the loopback network."""

from __future__ import annotations

import io
import json

from hooks.contract.controller import Controller
from hooks.contract.replies import CustomizeReply, FinalizeReply, RelatedRule, SyncReply
from hooks.edge import Gate, Health, Limits, build
from hooks.http import AsyncClient
from hooks.telemetry import Telemetry
from hooks.telemetry.log import logger
from hooks.telemetry.metrics import Metrics
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

API = "arubacloud.com/v1alpha1"


def vpc(uid="u-1", **more):
    """A VPC as Metacontroller shows it."""
    metadata = {"name": "net-a", "namespace": "team-blue", "uid": uid, "resourceVersion": "41", "generation": 3}
    return {"apiVersion": API, "kind": "VPC", "metadata": metadata, "spec": {"tenant": "t-100"}, **more}


def call(parent=None, **more):
    return {"controller": {}, "parent": parent or vpc(), "children": {}, "related": {}, "finalizing": False, **more}


class Engine:
    """Stands for the engine: keeps what it was called with, answers what it is told to."""

    def __init__(self):
        self.calls = []
        self.answer = SyncReply(status={"phase": "Active"})
        self.last = FinalizeReply(status={"phase": "Deleted"}, finalized=True)
        self.rules = CustomizeReply(relatedResources=[RelatedRule(apiVersion="v1", resource="namespaces", names=["a"])])
        self.before = None

    async def sync(self, seen, deadline):
        return await self._work("sync", seen, deadline, self.answer)

    async def finalize(self, seen, deadline):
        return await self._work("finalize", seen, deadline, self.last)

    def customize(self, seen):
        self.calls.append(("customize", seen, None))
        if isinstance(self.rules, Exception):
            raise self.rules
        return self.rules

    async def _work(self, hook, seen, deadline, answer):
        self.calls.append((hook, seen, deadline))
        if self.before is not None:
            await self.before()
        if isinstance(answer, Exception):
            raise answer
        return answer


class World:
    def __init__(self, limits=None, health=None, authorise=None):
        self.engine, self.clock, self.lines = Engine(), LoopClock(), io.StringIO()
        self.gate = Gate(limits or Limits())
        self.telemetry = Telemetry(logger(self.lines, "info", self.clock.now), Metrics())
        controller = Controller("vpcs", "VPC", API, self.engine.sync, self.engine.finalize, self.engine.customize)
        more = {"authorise": authorise} if authorise else {}
        self.app = build(
            {"vpcs": controller},
            gate=self.gate,
            clock=self.clock,
            telemetry=self.telemetry,
            health=health or Health(),
            **more,
        )
        self.net = Loopback({"hooks": self.app})
        self.client = AsyncClient(transport=self.net, base_url="http://hooks", timeout=60)

    async def post(self, hook="sync", body=None, **more):
        content = body if isinstance(body, bytes) else json.dumps(body or call()).encode()
        return await self.client.post(f"/v2/vpcs/{hook}", content=content, **more)

    def log(self):
        return [json.loads(line) for line in self.lines.getvalue().splitlines()]

    def counted(self, name, **labels):
        return self.telemetry.metrics.registry.get_sample_value(name, labels) or 0
