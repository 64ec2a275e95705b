"""CompositeControllers and RBAC: what Metacontroller's pitfall checklist asks for (mc §10.7), and nothing wider."""

from __future__ import annotations

from hooks.manifests import HOOK_TIMEOUT, composite_controllers, hooks_rbac, metacontroller_rbac

PLURALS = "blockstorages cloudservers elasticips keypairs projects securitygroups securityrules subnets vpcs".split()


def test_one_controller_a_kind_under_a_name_that_never_changes(catalog):
    names = [controller["metadata"]["name"] for controller in composite_controllers(catalog)]
    assert names == [f"{plural}.arubacloud.com" for plural in PLURALS]
    assert all(len(name) <= 43 for name in names)


def test_the_controller_of_a_kind(catalog):
    subnets = composite_controllers(catalog)[PLURALS.index("subnets")]
    base = "http://aruba-cloud-operator-hooks.aruba-system.svc:8080/v2/subnets"
    assert subnets == {
        "apiVersion": "metacontroller.k8s.io/v1alpha1",
        "kind": "CompositeController",
        "metadata": {"name": "subnets.arubacloud.com"},
        "spec": {
            "generateSelector": True,
            "resyncPeriodSeconds": 300,
            "parentResource": {"apiVersion": "arubacloud.com/v1alpha1", "resource": "subnets"},
            "hooks": {
                "sync": {"version": "v2", "webhook": {"url": f"{base}/sync", "timeout": "30s"}},
                "finalize": {"version": "v2", "webhook": {"url": f"{base}/finalize", "timeout": "30s"}},
                "customize": {"version": "v2", "webhook": {"url": f"{base}/customize", "timeout": "5s"}},
            },
        },
    }


def test_local_mode_has_its_own_address_and_times(catalog):
    controller = composite_controllers(catalog, "http://127.0.0.1:9", 7, 2, 60)[0]["spec"]
    sync, customize = controller["hooks"]["sync"]["webhook"], controller["hooks"]["customize"]["webhook"]
    assert sync == {"url": "http://127.0.0.1:9/v2/blockstorages/sync", "timeout": "7s"}
    assert customize["timeout"] == "2s"
    assert controller["resyncPeriodSeconds"] == 60


def test_the_hook_timeout_is_the_one_that_deadlines_are_reckoned_from():
    assert HOOK_TIMEOUT == 30


def test_the_hooks_may_do_four_things_to_our_kinds_and_little_else(catalog):
    account, role, binding = hooks_rbac(catalog)
    assert account["metadata"] == {"name": "aruba-cloud-operator-hooks", "namespace": "aruba-system"}
    assert role["rules"] == [
        {"apiGroups": ["arubacloud.com"], "resources": PLURALS, "verbs": ["get", "list", "patch", "delete"]},
        {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]},
        {
            "apiGroups": ["apiextensions.k8s.io"],
            "resources": ["customresourcedefinitions"],
            "verbs": ["get"],
            "resourceNames": [f"{plural}.arubacloud.com" for plural in PLURALS],
        },
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
    ]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", **account["metadata"]}]


def test_metacontroller_may_read_and_finalize_our_kinds(catalog):
    (role,) = metacontroller_rbac(catalog)
    allowed = {(r["apiGroups"][0], name): set(r["verbs"]) for r in role["rules"] for name in r["resources"]}
    read = {"get", "list", "watch"}
    assert allowed[("arubacloud.com", "vpcs")] == read | {"update"}
    assert allowed[("arubacloud.com", "vpcs/status")] == {"update"}
    assert allowed[("", "namespaces")] == read
    assert allowed[("", "events")] == {"create", "patch"}
    assert allowed[("metacontroller.k8s.io", "compositecontrollers")] == read


def test_no_role_says_everything_or_reaches_secrets(catalog):
    rules = [rule for thing in metacontroller_rbac(catalog) + hooks_rbac(catalog) for rule in thing.get("rules", ())]
    words = {word for rule in rules for words in rule.values() for word in words}
    assert not words & {"*", "secrets", "configmaps"}
