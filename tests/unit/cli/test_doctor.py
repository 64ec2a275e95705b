"""One thing broken at a time: the finding names it and says how to mend it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from hooks.__main__ import main
from hooks.aruba.kinds import discover
from hooks.cli.checks.finding import Finding, Level
from hooks.cli.checks.rights import Right, needed, rights
from hooks.cli.cluster import Cluster
from hooks.http import AsyncClient
from hooks.manifests import hooks_rbac
from tests.unit.cli import installed
from tests.unit.cli.installed import Installed, status
from tests.world.time import LoopClock

Object = dict[str, Any]
VPCS = f"{installed.DEFINITIONS}/vpcs.arubacloud.com"
ENGINE_CRD = f"{installed.DEFINITIONS}/compositecontrollers.metacontroller.k8s.io"


def bad(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level is not Level.OK]


async def only(world: Installed) -> Finding:
    """The one finding that is not fine."""
    (found,) = bad(await world.examined())
    return found


async def test_a_whole_installation_has_no_fault() -> None:
    findings = await Installed().examined()
    assert bad(findings) == []
    told = "\n".join(map(str, findings))
    count = len(needed(hooks_rbac(discover())))
    for words in (
        "v1.36.3", "all 9 established", "9 of 9 as generated", "metacontroller:v4.17.2", "1 ready endpoint",
        "aruba-hooks:0.1.0", "are ready", "reach: token endpoint", f"has the {count} rights", "no Go operator runs",
        "keycloak-url answers: 200", "api-gateway answers: 404", "objects: 0",
    ):  # fmt: skip
        assert words in told
    assert "hush" not in told


def test_a_line_is_level_what_and_fix_and_safe_for_a_terminal() -> None:
    assert str(Finding(Level.FAIL, "it \x1b[31mbroke\nhere", "mend it")) == "fail  it broke here  — mend it"
    assert str(Finding(Level.OK, "fine")) == "ok    fine"


async def test_no_answer_ends_the_examination() -> None:
    world = Installed()
    world.paths["/version"] = status(401, "Unauthorized")
    (found,) = await world.examined()
    assert found.level is Level.FAIL
    assert "Unauthorized" in found.what
    assert len(world.asked) == 1


def crd(change: Any) -> Any:
    """The VPC's definition with something changed in its only version."""

    def broken(live: Object) -> Object:
        live = deepcopy(live)
        change(live)
        return live

    return broken


def _no_region(live: Object) -> None:
    del live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["region"]


def _no_status(live: Object) -> None:
    live["spec"]["versions"][0]["subresources"] = {}


def _not_established(live: Object) -> None:
    live["status"]["conditions"][1] |= {"status": "False", "message": "the name is taken"}


def _going(live: Object) -> None:
    live["metadata"]["deletionTimestamp"] = "2026-07-01T08:00:00Z"


def _not_served(live: Object) -> None:
    live["spec"]["versions"][0]["served"] = False


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_no_region, "properties.spec.properties.region"),
        (_no_status, "subresources.status"),
        (_not_established, "the name is taken"),
        (_going, "being deleted"),
        (_not_served, "does not serve v1alpha1"),
    ],
)
async def test_a_definition_that_is_not_of_this_version(change: Any, words: str) -> None:
    world = Installed()
    world.paths[VPCS] = crd(change)(world.paths[VPCS])
    found = await only(world)
    assert found.level is Level.FAIL
    assert "vpcs.arubacloud.com" in found.what
    assert words in found.what


async def test_a_definition_that_only_prints_otherwise_is_a_warning() -> None:
    world = Installed()
    world.paths[VPCS] = deepcopy(world.paths[VPCS])
    world.paths[VPCS]["spec"]["versions"][0]["additionalPrinterColumns"].pop()
    assert (await only(world)).level is Level.WARN


async def test_a_missing_definition_says_what_to_apply() -> None:
    world = Installed()
    del world.paths[VPCS]
    found = await only(world)
    assert (found.level, found.what) == (Level.FAIL, "CRD vpcs.arubacloud.com is missing")
    assert "crds" in found.fix


async def test_what_may_not_be_seen_is_no_failure() -> None:
    world = Installed()
    for path in list(world.paths):
        if path not in ("/version", installed.READYZ):
            world.paths[path] = status(403, "forbidden for you")
    findings = await world.examined()
    assert {finding.level for finding in findings} == {Level.OK, Level.WARN}
    assert all("forbidden for you" in f.what or "no CompositeController" in f.what for f in bad(findings))


def _composite(world: Installed, plural: str) -> Object:
    items = world.paths[installed.COMPOSITES]["items"]
    return next(item for item in items if item["metadata"]["name"] == f"{plural}.arubacloud.com")


async def test_metacontroller_is_not_installed() -> None:
    world = Installed()
    del world.paths[ENGINE_CRD], world.paths[installed.COMPOSITES]
    world.paths[installed.STATEFULSETS] = {"items": []}
    first, second, third = bad(await world.examined())
    assert (first.level, second.level, third.level) == (Level.FAIL, Level.WARN, Level.WARN)
    assert "compositecontrollers is missing" in first.what
    assert "install Metacontroller" in first.fix


async def test_a_controller_is_missing() -> None:
    world = Installed()
    world.paths[installed.COMPOSITES]["items"].remove(_composite(world, "vpcs"))
    found = await only(world)
    assert found.what == "CompositeController vpcs.arubacloud.com is missing: nobody acts on VPC objects"


async def test_a_controller_without_finalize() -> None:
    world = Installed()
    del _composite(world, "vpcs")["spec"]["hooks"]["finalize"]
    found = await only(world)
    assert found.level is Level.FAIL
    assert "differs from the generated one at spec.hooks.finalize" in found.what


async def test_a_controller_that_calls_somebody_else() -> None:
    world = Installed()
    _composite(world, "vpcs")["spec"]["hooks"]["sync"]["webhook"]["url"] = "http://else.where.svc/sync"
    found = await only(world)
    assert "does not call this operator: 'http://else.where.svc/sync'" in found.what


async def test_a_hook_may_be_named_by_its_service() -> None:
    world = Installed()
    for item in world.paths[installed.COMPOSITES]["items"]:
        for hook, said in item["spec"]["hooks"].items():
            service = {"name": installed.NAME, "namespace": installed.NAMESPACE, "port": 8080}
            path = f"/v2/{item['spec']['parentResource']['resource']}/{hook}"
            said["webhook"] = {"service": service, "path": path, "timeout": "30s"}
    assert bad(await world.examined()) == []


async def test_a_short_timeout_is_a_warning() -> None:
    world = Installed()
    _composite(world, "vpcs")["spec"]["hooks"]["sync"]["webhook"]["timeout"] = "10s"
    found = await only(world)
    assert found.level is Level.WARN
    assert "only 10s" in found.what


async def test_two_controllers_on_one_kind() -> None:
    world = Installed()
    other = deepcopy(_composite(world, "vpcs"))
    other["metadata"]["name"] = "mine"
    world.paths[installed.COMPOSITES]["items"].append(other)
    found = await only(world)
    assert found.level is Level.FAIL
    assert "mine acts on vpcs too" in found.what


@pytest.mark.parametrize(
    ("engine", "level", "words"),
    [
        (installed.engine("v4.11.0"), Level.FAIL, "too old"),
        ({**installed.engine(), "status": {}}, Level.FAIL, "no replica is ready"),
        (installed.engine(args=()), Level.WARN, "5 times a second, its default"),
    ],
)
async def test_metacontroller_itself(engine: Object, level: Level, words: str) -> None:
    world = Installed()
    world.paths[installed.STATEFULSETS] = {"items": [engine]}
    found = await only(world)
    assert found.level is level
    assert words in found.what


async def test_the_service_does_not_exist() -> None:
    world = Installed()
    del world.paths[installed.SERVICE]
    found = bad(await world.examined())[0]
    assert found.level is Level.FAIL
    assert "Service aruba-system/aruba-cloud-operator-hooks" in found.what


async def test_the_service_has_another_port() -> None:
    world = Installed()
    world.paths[installed.SERVICE]["spec"]["ports"] = [{"port": 80}]
    assert "has 80, not 8080" in (await only(world)).what


async def test_nobody_stands_behind_the_service() -> None:
    world = Installed()
    world.paths[installed.SLICES] = {"items": [{"endpoints": [{"conditions": {"ready": False}}]}]}
    world.paths[installed.READYZ] = status(503, "no endpoints available for service")
    first, second = bad(await world.examined())
    assert "no ready endpoint: 1 not ready" in first.what
    assert "no endpoints available" in second.what
    assert first.level is second.level is Level.FAIL


async def test_the_hooks_are_scaled_to_0() -> None:
    world = Installed()
    world.paths[installed.DEPLOYMENTS]["items"][0]["spec"]["replicas"] = 0
    found = await only(world)
    assert "scaled to 0" in found.what
    assert "--replicas=1" in found.fix


async def test_what_the_hooks_say_of_themselves() -> None:
    world = Installed()
    world.paths[installed.READYZ] = (
        503,
        {"ready": False, "reasons": ["draining"], "notes": ["phase-timeout: 'x'"], "peers": {}},
    )
    first, second = bad(await world.examined())
    assert (first.level, second.level) == (Level.FAIL, Level.WARN)
    assert "draining" in first.what
    assert "phase-timeout" in second.what


async def test_whoever_may_not_use_the_proxy_learns_nothing_of_the_hooks() -> None:
    world = Installed()
    world.paths[installed.READYZ] = status(403, "no proxy for you")
    found = await only(world)
    assert found.level is Level.WARN
    assert "no proxy for you" in found.what


async def test_another_program_at_the_hooks_address() -> None:
    world = Installed()
    world.paths[installed.READYZ] = (200, [])
    found = await only(world)
    assert found.level is Level.FAIL
    assert "200 came from a program that is not this operator" in found.what


async def test_whom_the_hooks_do_not_reach() -> None:
    world = Installed()
    world.paths[installed.READYZ] = installed.readiness(
        cloud={"state": "failing", "detail": "answered 503", "for": 9.0}, kubernetes={"state": "unknown"}
    )
    kube, cloud = bad(await world.examined())
    assert (kube.level, cloud.level) == (Level.WARN, Level.FAIL)
    assert "cloud: answered 503" in cloud.what
    assert "api-gateway" in cloud.fix


async def test_hooks_outside_the_cluster_are_asked_directly() -> None:
    world = Installed()
    for item in world.paths[installed.COMPOSITES]["items"]:
        for said in item["spec"]["hooks"].values():
            webhook = said["webhook"]
            webhook["url"] = webhook["url"].replace("http://aruba-cloud-operator-hooks.aruba-system.svc", "http://here")
    world.urls["http://here:8080/readyz"] = (200, installed.readiness())
    told = "\n".join(map(str, await world.examined()))
    assert "ok    hooks at http://here:8080 are ready" in told
    del world.urls["http://here:8080/readyz"]
    assert any("nobody listens" in f.what and f.level is Level.FAIL for f in await world.examined())


async def test_rights_that_are_lacking_are_named() -> None:
    world = Installed()
    world.may = lambda spec: (
        spec["user"] != "system:serviceaccount:aruba-system:aruba-cloud-operator-hooks"
        or spec["resourceAttributes"]["resource"] != "vpcs"
        or spec["resourceAttributes"]["verb"] not in ("patch", "delete")
    )
    found = await only(world)
    assert found.level is Level.FAIL
    assert "may not: patch vpcs.arubacloud.com, delete vpcs.arubacloud.com" in found.what


async def test_rights_of_a_subresource_are_asked_for_as_such() -> None:
    world = Installed()
    world.may = lambda spec: spec["resourceAttributes"]["subresource"] != "status"
    found = await only(world)
    assert "metacontroller/mc of Metacontroller may not: update" in found.what
    assert "4 more" in found.what


def test_rights_to_objects_of_a_name_are_asked_for_one_by_one() -> None:
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": ["a", "b"]}
    assert list(map(str, needed([{"rules": [rule]}, {"kind": "ServiceAccount"}]))) == ["get pods a", "get pods b"]


async def test_a_right_to_one_object_is_asked_for_with_its_name() -> None:
    world = Installed()
    world.may = lambda spec: spec["resourceAttributes"].get("name") != "a"
    async with AsyncClient(transport=world, base_url="http://kube.test") as client:
        wanted = [Right("", "pods", "get", name) for name in "ab"]
        (found,) = await rights(Cluster(client, LoopClock()), "us", ("ns", "me"), wanted, "grant it")
    assert str(found) == "fail  service account ns/me of us may not: get pods a  — grant it"


async def test_rights_that_nobody_may_ask_for() -> None:
    world = Installed()
    world.paths[installed.REVIEWS] = status(403, "no reviews")
    ours, engines = bad(await world.examined())
    assert ours.level is engines.level is Level.WARN
    assert sum(asked.startswith("POST") for asked in world.asked) == 2


@pytest.mark.parametrize(("bases", "level"), [(True, Level.FAIL), (False, Level.WARN)])
async def test_a_running_go_operator(bases: bool, level: Level) -> None:
    world = Installed()
    world.paths[installed.DEPLOYMENTS]["items"].append(installed.go_operator())
    if not bases:
        world.paths[installed.COMPOSITES] = {"items": []}
    found = next(f for f in bad(await world.examined()) if "Go operator runs" in f.what)
    assert found.level is level
    assert "scale deployment aruba-controller-manager --replicas=0" in found.fix


async def test_a_go_operator_of_a_helm_release_is_stopped_by_its_chart() -> None:
    """Scaled by kubectl it would run again after the next upgrade of its release."""
    world, theirs = Installed(), installed.go_operator()
    theirs["metadata"]["annotations"] = {"meta.helm.sh/release-name": "arubacloud-operator"}
    world.paths[installed.DEPLOYMENTS]["items"].append(theirs)
    found = next(f for f in bad(await world.examined()) if "Go operator runs" in f.what)
    assert "helm -n aruba-system upgrade arubacloud-operator" in found.fix
    assert "--set controller.replicas=0" in found.fix
    assert "kubectl" not in found.fix


async def test_any_other_controller_manager_is_not_the_go_operator() -> None:
    """The label is what every scaffolded operator has."""
    world = Installed()
    other = installed.workload("x", "y", "example.com/other:1", {"control-plane": "controller-manager"})
    world.paths[installed.DEPLOYMENTS]["items"].append(other)
    assert bad(await world.examined()) == []


async def test_a_go_operator_that_left_its_finalizers() -> None:
    world = Installed()
    world.paths[installed.DEPLOYMENTS]["items"].append(installed.go_operator(replicas=0))
    world.paths[f"{installed.KINDS}/vpcs"] = {
        "items": [installed.custom("VPC", "a", ("vpc.arubacloud.com/finalizer",))]
    }
    found = await only(world)
    assert found.level is Level.WARN
    assert "finalizer is on VPC default/a" in found.what
    assert "scaled to 0" in found.fix


async def test_objects_that_need_a_person_and_credentials_that_are_refused() -> None:
    world = Installed()
    stalled = installed.custom("VPC", "a", Stalled={"status": "True"})
    refused = installed.custom("VPC", "b", Ready={"status": "False", "reason": "CredentialsUnavailable"})
    world.paths[f"{installed.KINDS}/vpcs"] = {"items": [stalled, refused]}
    first, second = bad(await world.examined())
    assert (first.level, second.level) == (Level.FAIL, Level.WARN)
    assert "VPC default/b" in first.what
    assert "VPC default/a" in second.what


async def test_a_missing_key_and_a_bad_one_are_named_without_any_secret() -> None:
    world = Installed()
    world.paths[installed.SECRET] = installed.secret(**{"client-id": "me", "client-secert": "hush"})
    world.paths[installed.CONFIG]["data"]["phase-timeout"] = "banana"
    del world.paths[installed.CONFIG]["data"]["realm-api"]
    world.urls[installed.ISSUER.replace("cmp", "cmp-new-apikey")] = (200, {})
    findings = bad(await world.examined())
    told = "\n".join(map(str, findings))
    assert [finding.level for finding in findings].count(Level.FAIL) == 2
    for words in ("phase-timeout: 'banana'", "client-secret: missing", "client-secert: unknown key", "no realm-api"):
        assert words in told
    assert "hush" not in told


@pytest.mark.parametrize(("state", "level"), [("ok", Level.WARN), ("unknown", Level.FAIL)])
async def test_addresses_that_do_not_answer_from_here(state: str, level: Level) -> None:
    """They count as failures only where the hooks have not reached them either."""
    world = Installed()
    world.urls.clear()
    peer = {"state": state, "age": 1.0}
    world.paths[installed.READYZ] = installed.readiness(cloud=peer, **{"token endpoint": peer})
    found = [f for f in bad(await world.examined()) if "no answer from" in f.what]
    assert [f.level for f in found] == [level, level]
    assert [f.what.split()[0].rstrip(":") for f in found] == ["keycloak-url", "api-gateway"]


async def test_settings_are_taken_from_where_the_deployment_takes_them() -> None:
    world = Installed()
    del world.paths[installed.CONFIG], world.paths[installed.SECRET]
    env = [
        {"name": "ARUBA_KEYCLOAK_URL", "value": "https://login.test/auth"},
        {"name": "ARUBA_REALM_API", "value": "cmp"},
        {"name": "ARUBA_API_GATEWAY", "value": installed.GATEWAY},
        {"name": "ARUBA_CLIENT_ID", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}},
    ]
    volumes = [{"projected": {"sources": [{"secret": {"name": "keys"}}]}}]
    world.paths[installed.DEPLOYMENTS] = {"items": [installed.hooks_deployment(env=env, volumes=volumes)]}
    found = bad(await world.examined())
    assert [f.what.split(",")[0] for f in found][:1] == ["Secret aruba-system/keys is missing"]
    assert "client-secret: missing" in found[1].what
    world.paths[f"/api/v1/namespaces/{installed.NAMESPACE}/secrets/keys"] = installed.secret(**{"client-secret": "s"})
    assert bad(await world.examined()) == []


async def test_of_a_projected_secret_only_the_keys_that_are_taken_count() -> None:
    """As the chart mounts them: one Secret's `token` as `hook-token`, of another nothing but two keys."""
    world = Installed()
    del world.paths[installed.SECRET]
    keys = [{"key": name, "path": name} for name in ("client-id", "client-secret")]
    sources = [
        {"secret": {"name": "keys", "items": keys}},
        {"secret": {"name": "token", "items": [{"key": "token", "path": "hook-token"}]}},
        {"configMap": {"name": "operator-config"}},
    ]
    deployment = installed.hooks_deployment(env=[], volumes=[{"projected": {"sources": sources}}])
    world.paths[installed.DEPLOYMENTS] = {"items": [deployment]}
    secrets = f"/api/v1/namespaces/{installed.NAMESPACE}/secrets"
    world.paths[f"{secrets}/keys"] = installed.secret(**{"client-id": "i", "client-secret": "s", "somebody-elses": "x"})
    world.paths[f"{secrets}/token"] = installed.secret(token="a-token-of-the-tests-1")
    assert [finding.what for finding in bad(await world.examined())] == []
    world.paths[f"{secrets}/token"] = installed.secret(token="short")
    (found,) = bad(await world.examined())
    assert "hook-token: (hidden)" in found.what


async def test_a_secret_that_may_not_be_read_proves_nothing() -> None:
    world = Installed()
    world.paths[installed.SECRET] = status(403, "no secrets")
    found = bad(await world.examined())
    assert found
    assert {f.level for f in found} == {Level.WARN}
    assert "no secrets" in found[0].what


async def test_another_namespace_may_be_named() -> None:
    world = Installed()
    await world.examined("elsewhere")
    assert any("/namespaces/elsewhere/configmaps/operator-config" in asked for asked in world.asked)


@pytest.mark.parametrize(
    "words", [["--namespace", "A_B"], ["--kubeconfig", "/nonexistent"], ["--kubeconfig", "/dev/null"]]
)
def test_a_bad_call_says_so_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("doctor: ")
    assert said.err.count("\n") == 1
