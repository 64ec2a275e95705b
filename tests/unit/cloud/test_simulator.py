"""The same client against the simulated cloud, with the oddities that were seen in the field switched on."""

import asyncio
from datetime import timedelta

import pytest

from hooks.aruba.cloud.client import Cloud, Limits
from hooks.aruba.cloud.session import Origin
from hooks.aruba.credentials.direct import Direct
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Call, Reading
from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.meta.deadline import Deadline
from hooks.simulator import ADMIN, Simulator, token_path
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

PLACE = {"location": {"value": "ITBG-Bergamo"}}


class Site:
    """A project in a cloud of its own."""

    def __init__(self, page: int = 100):
        self.clock = LoopClock()
        self.simulator = Simulator(self.clock, clients={"one": "secret-1"})
        self.http = AsyncClient(transport=Loopback({"cloud": self.simulator.app}))
        origin = Origin("http://cloud", "http://cloud" + token_path())
        source = Direct(lambda: ("one", "secret-1"))
        self.cloud = Cloud(lambda: origin, source, self.http, self.clock, seeded(1), Limits(1000.0, 50, page))
        self.project = ""

    @property
    def vpcs(self):
        return f"/projects/{self.project}/providers/Aruba.Network/vpcs"

    def deadline(self):
        return Deadline(self.clock.monotonic() + 8)

    async def admin(self, method, path, body=None):
        answer = await self.http.request(method, f"http://cloud{ADMIN}/{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def send(self, method, path, body=None):
        return await self.cloud.send("t", Call(method, path, body), self.deadline())

    async def make(self, name):
        body = {"metadata": {"name": name, "tags": ["demo-tag"], **PLACE}, "properties": {"default": False}}
        return await self.send("POST", self.vpcs, body)

    async def list(self, *, proof=True):
        return await self.cloud.listing("t", self.vpcs, self.clock.now(), self.deadline(), proof=proof)

    async def prove(self, path, resource_id):
        return await self.cloud.item("t", path, resource_id, self.clock.now(), self.deadline(), proof=True)


async def opened(page=100):
    site = Site(page)
    live = await site.send("POST", "/projects", {"metadata": {"name": "demo"}, "properties": {}})
    site.project = live.id
    return site


async def test_the_life_of_a_network():
    site = await opened()
    made = await site.make("main-net")
    assert (made.name, made.state, made.tags) == ("main-net", "InCreation", ("demo-tag",))
    await asyncio.sleep(2)
    reading = await site.prove(site.vpcs, made.id)
    assert reading.live.state == "Active"
    assert [live.id for live in (await site.list()).rows] == [made.id]
    assert isinstance(await site.send("DELETE", f"{site.vpcs}/{made.id}"), Live)
    await asyncio.sleep(2)
    assert (await site.prove(site.vpcs, made.id)).live is None
    assert (await site.send("DELETE", f"{site.vpcs}/{made.id}")).cause is Cause.GONE
    assert isinstance(await site.send("DELETE", f"/projects/{site.project}"), Live)
    assert (await site.prove("/projects", site.project)).live is None


@pytest.mark.parametrize("shape", [1, 2, 3, 4])
async def test_case_35_refusals_in_every_shape(shape):
    site = await opened()
    await site.admin("POST", "quirks", {"errorShape": shape})
    failure = await site.send("POST", site.vpcs, {"metadata": {"name": "n", "tags": ["x"], **PLACE}, "properties": {}})
    assert (failure.cause, failure.sent, failure.status) == (Cause.SEMANTIC, False, 400)
    assert "Tag: length must be at least 4" in failure.text
    assert failure.trace.startswith("00-")
    assert failure.trace in failure.text


@pytest.mark.parametrize("thin", ["noUri", "noStatus", "noBody", "204"])
async def test_thin_answers_to_a_create(thin):
    site = await opened()
    await site.admin("POST", "quirks", {"thinCreate": thin})
    made = await site.make("main-net")
    assert isinstance(made, Live)
    assert bool(made.id) is (thin in ("noUri", "noStatus"))
    assert [live.name for live in (await site.list()).rows] == ["main-net"]


async def test_an_empty_list_may_be_a_404():
    site = await opened()
    await site.admin("POST", "quirks", {"emptyListIs404": True})
    listing = await site.list()
    assert (listing.rows, listing.complete) == ((), True)


async def test_case_39_short_pages_and_rows_that_slip_between_them():
    site = await opened(page=5)
    for number in range(12):
        await site.make(f"network-{number}")
    await asyncio.sleep(2)
    for quirk in ({}, {"pageLimit": 3}):
        await site.admin("POST", "quirks", quirk)
        listing = await site.list()
        assert (listing.complete, len(listing.rows)) == (True, 12)
        await asyncio.sleep(1)
    await site.admin("POST", "quirks", {"skipOnPaging": True})
    listing = await site.list()
    assert not listing.complete
    assert len(listing.rows) < 12


async def test_case_41_a_create_whose_answer_is_lost_is_not_repeated():
    site = await opened()
    fault = {"match": {"method": "POST", "path": "vpcs"}, "times": 1, "then": {"drop": "after"}}
    await site.admin("POST", "faults", [fault])
    failure = await site.make("main-net")
    assert (failure.cause, failure.sent) == (Cause.TECHNICAL, True)
    assert len((await site.list()).rows) == 1


async def test_case_77_a_revoked_token_is_replaced():
    site = await opened()
    await site.admin("POST", "tokens", {"revoke": "all"})
    answers = await asyncio.gather(*(site.make(f"network-{number}") for number in range(20)))
    assert all(isinstance(answer, Live) for answer in answers)
    calls = await site.admin("GET", "calls?since=0")
    assert sum(call["path"] == token_path() for call in calls) == 2


async def test_case_14_a_wrong_proxy_proves_nothing():
    site = await opened()
    made = await site.make("main-net")
    await asyncio.sleep(100)
    page = {"status": 404, "text": "<html>404</html>", "headers": {"content-type": "text/html"}}
    await site.admin("POST", "faults", [{"match": {"path": "/projects"}, "then": page}])
    for _ in range(10):
        assert isinstance(await site.prove(site.vpcs, made.id), Failure)
        await asyncio.sleep(60)
    await site.admin("DELETE", "faults")
    reading = await site.prove(site.vpcs, made.id)
    assert isinstance(reading, Reading)
    assert reading.live.id == made.id


async def test_case_47_a_parent_that_is_not_ready():
    site = await opened()
    vpc = await site.make("main-net")
    subnet = {"type": "Advanced", "network": {"address": "10.0.1.0/24"}, "dhcp": {"enabled": True}}
    body = {"metadata": {"name": "front-net"}, "properties": subnet}
    failure = await site.send("POST", f"{site.vpcs}/{vpc.id}/subnets", body)
    assert (failure.cause, failure.sent) == (Cause.NOT_READY, False)


async def test_ten_objects_at_rest_cost_one_listing_a_period():
    site = await opened()
    made = [await site.make(f"network-{number}") for number in range(10)]
    await asyncio.sleep(300)
    before = len(await site.admin("GET", "calls?since=0"))
    for live in made:
        since = site.clock.now() - timedelta(seconds=60)
        reading = await site.cloud.item("t", site.vpcs, live.id, since, site.deadline(), proof=False)
        assert reading.live.state == "Active"
        await asyncio.sleep(3)
    assert len(await site.admin("GET", "calls?since=0")) == before + 1
