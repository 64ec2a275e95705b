"""The walk through a project: every collection once, owners before what they own, nothing but reads."""

from __future__ import annotations

from hooks.aruba.importing import survey
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Listing, Reading
from tests.unit.importing.shop import CATALOG, GROUP, PATHS, VPC, found, shop
from tests.world.time import EPOCH


class Cloud:
    """Lists what stands at each path; `whole` is what a single resource shows beyond its row."""

    def __init__(self, rows):
        self.rows = {}
        for row in rows.values():
            self.rows.setdefault(row.path, []).append(row.live)
        self.whole = {}
        self.incomplete = ""
        self.failing = ""
        self.asked = []
        self.got = []

    async def listing(self, path):
        self.asked.append(path)
        if path == self.failing:
            return Failure(Cause.FORBIDDEN, "no such right")
        return Listing(tuple(self.rows.get(path, ())), path != self.incomplete, EPOCH)

    async def item(self, path, resource_id):
        self.got.append(f"{path}/{resource_id}")
        return Reading(self.whole.get(resource_id), EPOCH)

    async def survey(self):
        return await survey(CATALOG, shop()["p1"], self.listing, self.item)


async def test_every_collection_is_read_once_and_everything_is_found():
    cloud = Cloud(shop())
    seen = await cloud.survey()
    assert {one.live.id for one in seen.found} == set(shop())
    assert sorted(cloud.asked) == sorted(path for kind, path in PATHS.items() if kind != "Project")
    assert cloud.got == []
    assert seen.doubts == ()


async def test_each_owner_is_looked_into():
    second = found("VPC", "v2")
    inside = found("Subnet", "s2", shop()["s1"].live.body["properties"], path=VPC.replace("v1", "v2") + "/subnets")
    seen = await Cloud(shop() | {"v2": second, "s2": inside}).survey()
    assert {one.live.id: one.ids for one in seen.found}["s2"] == {"project": "p1", "vpc": "v2", "subnet": "s2"}


async def test_a_row_that_lacks_what_a_spec_must_say_is_read_whole():
    rows = shop()
    cloud = Cloud(rows | {"k1": found("KeyPair", "k1", {}), "k2": found("KeyPair", "k2", {})})
    cloud.whole["k1"] = rows["k1"].live
    seen = {one.live.id: one.live for one in (await cloud.survey()).found}
    assert cloud.got == [f"{PATHS['KeyPair']}/k1", f"{PATHS['KeyPair']}/k2"]
    assert seen["k1"].get("value") == "ssh-ed25519 AAAA ops"
    assert seen["k2"].get("value") is None


async def test_what_is_gone_is_not_found_and_what_has_no_id_is_told():
    rows = shop() | {"e9": found("ElasticIP", "e9", state="Deleted"), "x": found("KeyPair", "../x", {"value": "a"})}
    seen = await Cloud(rows).survey()
    assert {one.live.id for one in seen.found} == set(shop())
    assert seen.doubts == ("KeyPair keypair-../x (../x) is left out: the cloud shows no usable ID for it",)


async def test_a_list_that_may_not_be_complete_is_told():
    cloud = Cloud(shop())
    cloud.incomplete = f"{GROUP}/securityRules"
    assert "securityrules" in (await cloud.survey()).doubts[0]


async def test_a_failure_ends_it():
    cloud = Cloud(shop())
    cloud.failing = PATHS["ElasticIP"]
    assert (await cloud.survey()).text == f"elasticips at {PATHS['ElasticIP']}: no such right"


def test_a_live_row_without_anything_is_no_error():
    from hooks.aruba.importing import Found

    assert str(Found(CATALOG["VPC"], PATHS["VPC"], Live({}))) == "VPC without a name ()"
