"""Situations before anything is sent: references that are not there yet, and rules that the spec breaks."""

from __future__ import annotations

from typing import Any

from tests.cases import nine
from tests.cases.tenants import say
from tests.scenarios.said import Play, Situation, Subject
from tests.world.house import House
from tests.world.manifests import make, ref
from tests.world.vault import FakeVault, of_vault

Object = dict[str, Any]
INVALID = "IntentionValidationFailed"


async def missing(house: House) -> str:
    await house.apply(nine.subject("Subnet"))
    return "Subnet"


async def on_its_way(house: House) -> str:
    await house.quirks(neverSettle="VPC")
    await house.apply(*nine.needs("Subnet"), nine.subject("Subnet"))
    return "Subnet"


async def failed(house: House) -> str:
    await nine.prepared(house, "Subnet")
    vpc = (await house.status("VPC", "shop"))["resourceID"]
    await house.admin("POST", f"resources/{vpc}", {"state": "Failed"})
    await house.patch("VPC", "shop", {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "now"}}})
    await house.apply(nine.subject("Subnet"))
    return "Subnet"


async def leaving(house: House) -> str:
    await nine.active(house, "VPC")
    await house.quirks(neverSettle="VPC")
    await house.delete("VPC", "shop")
    await house.apply(nine.subject("Subnet"))
    return "Subnet"


async def volume_missing(house: House) -> str:
    await nine.prepared(house, "CloudServer")
    await house.apply(nine.subject("CloudServer", dataVolumeReferences=[ref("shop-data")]))
    return "CloudServer"


async def later_wish_missing(house: House) -> str:
    await nine.active(house, "CloudServer")
    await house.patch("CloudServer", "shop", {"spec": {"subnetReferences": [ref("shop"), ref("next")]}})
    return "CloudServer"


WAITS = "WaitingForReferences"
VPC = "VPC default/shop"
WAITING = [
    Situation("What it refers to does not exist", WAITS, missing, VPC),
    Situation("What it refers to is not Active yet", WAITS, on_its_way, VPC, "is Provisioning"),
    Situation("What it refers to has failed", "DependencyFailed", failed, VPC),
    Situation("What it refers to is being deleted", WAITS, leaving, VPC, "is being deleted"),
    Situation("A new server's data volume is missing", WAITS, volume_missing, "BlockStorage default/shop-data", "data"),
    Situation("An Active server's new subnet is missing", WAITS, later_wish_missing, "Subnet default/next"),
]


def wrong(kind: str, drop: str = "", **spec: Any) -> Play:
    """The subject with a spec that breaks a rule, in a world where everything else is in order."""

    async def play(house: House) -> str:
        await nine.prepared(house, kind)
        item = nine.subject(kind, **spec)
        item["spec"].pop(drop, None)
        await house.apply(item)
        return kind

    return play


async def bad_name(house: House) -> Subject:
    await nine.prepared(house, "VPC")
    item = nine.subject("VPC")
    item["metadata"]["name"] = "net.a"
    await house.apply(item)
    return Subject("VPC", "net.a")


async def not_bootable(house: House) -> str:
    await nine.prepared(house, "CloudServer")
    spec = {**nine.subject("BlockStorage")["spec"], "bootable": False}
    del spec["image"]
    await house.apply(make("BlockStorage", "shop-data", spec))
    await house.until(house.all_active)
    await house.apply(nine.subject("CloudServer", bootVolumeReference=ref("shop-data")))
    return "CloudServer"


async def overlapping(house: House) -> Subject:
    await nine.active(house, "Subnet")
    item = nine.subject("Subnet", cidr="192.168.1.128/25")
    item["metadata"]["name"] = "shop-two"
    await house.apply(item)
    return Subject("Subnet", "shop-two")


async def another_project(house: House) -> str:
    await nine.prepared(house, "Subnet")
    await house.apply(make("Project", "other-shop", {"tenant": "ARU-000001"}))
    await house.until(house.all_active)
    await house.apply(nine.subject("Subnet", projectReference=ref("other-shop")))
    return "Subnet"


async def group_missing(house: House) -> str:
    await nine.prepared(house, "SecurityRule")
    group = next(row for row in await house.resources("SecurityGroup"))["uri"]
    uri = f"{group.rpartition('/')[0]}/0123456789abcdef01234567"
    await house.apply(nine.subject("SecurityRule", target={"type": "SecurityGroup", "value": uri}))
    return "SecurityRule"


SHOP = ref("shop")
GROUP = {"type": "SecurityGroup", "value": "shop"}
NOWHERE = {"type": "Ip", "value": "nowhere"}
RULES: list[tuple[str, str, Play]] = [
    ("A name that the cloud does not take", "'net.a'", bad_name),
    ("A tag that the cloud does not take", "spec.tags", wrong("VPC", tags=["env"])),
    ("One object twice in a list", "spec.subnetReferences", wrong("CloudServer", subnetReferences=[SHOP, SHOP])),
    ("A bootable volume without an image", "spec.image", wrong("BlockStorage", drop="image", bootable=True)),
    ("An image on a volume that is not bootable", "spec.bootable", wrong("BlockStorage", bootable=False)),
    ("A volume by the month", "spec.billingPeriod", wrong("BlockStorage", billingPeriod="Month")),
    ("A boot volume that is not bootable", "BlockStorage default/shop-data", not_bootable),
    ("The boot volume among the data volumes", "spec.data", wrong("CloudServer", dataVolumeReferences=[SHOP])),
    ("An address range that is none", "spec.cidr", wrong("Subnet", cidr="192.168.1.5/24")),
    ("A public address range", "spec.cidr", wrong("Subnet", cidr="8.8.8.0/24")),
    ("An address range that is taken", "subnet 'shop' (<id>)", overlapping),
    ("A port with a protocol that has none", "spec.port", wrong("SecurityRule", protocol="ICMP", port="80")),
    ("A port that is none", "spec.port", wrong("SecurityRule", protocol="TCP", port="90-80")),
    ("A target that is no address range", "spec.target.value", wrong("SecurityRule", target=NOWHERE)),
    ("A target group that is no group of this VPC", "spec.target.value", wrong("SecurityRule", target=GROUP)),
    ("A target group that does not exist", "spec.target.value", group_missing),
    ("Another tenant than that of its project", "tenant", wrong("VPC", tenant="ARU-000002")),
    ("Another region than that of its VPC", "region", wrong("Subnet", region="ITBG-Elsewhere")),
    ("Another zone than that of its boot volume", "zone", wrong("CloudServer", zone="ITBG-2")),
    ("Another project than that of its VPC", "project reference", another_project),
    ("A reference without a name", "project reference", wrong("VPC", projectReference={**SHOP, "name": ""})),
    ("Several at once", "spec.tags", wrong("Subnet", tags=["env"], tenant="ARU-000002", cidr="8.8.8.0/24")),
]
"""Each with what its message must name; those along references are in upstream's words (behaviour §2.8)."""
MISMATCHES = ("Another tenant than that of its project", "Several at once")
"""Told under a word of their own, since nothing but a tenant that fits helps."""


async def not_allowed(house: House) -> str:
    await say(house, "default", tenants="t-200, t-300")
    await house.apply(nine.subject("Project"))
    return "Project"


async def just_a_project(house: House) -> str:
    await house.apply(nine.subject("Project"))
    return "Project"


async def not_granted(house: House) -> str:
    await house.apply(nine.subject("VPC", projectReference=ref("shop", "team-blue")))
    return "VPC"


async def of_another_tenant(house: House) -> str:
    await nine.prepared(house, "VPC")
    await house.apply(nine.subject("VPC", tenant="t-200"))
    return "VPC"


async def no_tenant(house: House) -> str:
    await house.apply(nine.subject("Project", tenant=""))
    return "Project"


def vault(**troubles: Any) -> Any:
    """Options of a house whose Vault has no secrets, and these troubles."""
    made = FakeVault()
    vars(made).update(troubles)
    return of_vault(made)


BY_NAMESPACE = {"environ": {"ARUBA_TENANT_POLICY": "namespace"}}
GRANTED = {"environ": {"ARUBA_REFERENCE_POLICY": "granted"}}
SAME_TENANT = {"environ": {"ARUBA_REFERENCE_POLICY": "same-tenant"}}
BARRED, DENIED, KEYLESS = "TenantNotAllowed", "ReferenceNotPermitted", "CredentialsUnavailable"
LOGIN, SILENT = "the login at auth/approle is refused: invalid role or secret ID", "no connection"
TENANCY = [
    Situation("A tenant that its Namespace may not name", BARRED, not_allowed, "'ARU-000001'", options=BY_NAMESPACE),
    Situation("A Namespace that may name none", BARRED, just_a_project, "default", options=BY_NAMESPACE),
    Situation("A reference that is not granted", DENIED, not_granted, "Project team-blue/shop", options=GRANTED),
    Situation(
        "A reference to another tenant's", DENIED, of_another_tenant, "Project default/shop", options=SAME_TENANT
    ),
    Situation("With Vault, a project without a tenant", INVALID, no_tenant, "TenantRequired", options=vault()),
    Situation("Vault has no secret of the tenant", KEYLESS, just_a_project, "kv/ARU-000001", options=vault()),
    Situation("Vault refuses to show it", KEYLESS, just_a_project, "policy", options=vault(denied={"ARU-000001"})),
    Situation(
        "Vault refuses the login", KEYLESS, just_a_project, "http://vault.test:8200", options=vault(refuses=LOGIN)
    ),
    Situation("Vault does not answer", KEYLESS, just_a_project, "http://vault.test:8200", options=vault(down=SILENT)),
]
"""Whose an object is, and where the credentials of its tenant come from."""


def _reason(title: str) -> str:
    return "TenantMismatch" if title in MISMATCHES else INVALID


VALIDATION = [Situation(title, _reason(title), play, names) for title, names, play in RULES]
