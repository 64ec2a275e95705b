"""What the admission policies let through, by their own CEL."""

from __future__ import annotations

from typing import Any

import cel
import pytest

from hooks.aruba.engine import notes as words
from hooks.aruba.engine.policies import policies
from hooks.aruba.engine.spaces import TENANTS
from hooks.meta.objects import ObjectMeta
from tests.helm.charted import MODES, objects, of, only

PROTECTED, LISTED = "deletion-protection.arubacloud.com", "tenants.arubacloud.com"
KEY = words.PROTECTION


class Policy:
    """A policy's expressions, run as the API server runs them: conditions, then variables, then validations."""

    def __init__(self, name: str) -> None:
        self.spec = only("ValidatingAdmissionPolicy", objects(MODES["on"]), name)["spec"]

    def says(self, old: Any, new: Any, space: dict[str, str]) -> str | None:
        """The refusal, or None."""
        namespace = {"metadata": {"name": "team", **({"annotations": space} if space else {})}}
        known = {"oldObject": old, "object": new, "namespaceObject": namespace, "request": {"namespace": "team"}}
        known["variables"] = {}
        if not all(_run(condition["expression"], known) for condition in self.spec["matchConditions"]):
            return None
        for variable in self.spec["variables"]:
            known["variables"][variable["name"]] = _run(variable["expression"], known)
        for rule in self.spec["validations"]:
            if not _run(rule["expression"], known):
                return str(_run(rule["messageExpression"], known))
        return None


def _run(expression: str, known: dict[str, Any]) -> Any:
    context = cel.Context(variables=known)
    context.add_function("split", lambda text, by: text.split(by))  # Kubernetes' own extensions
    context.add_function("trim", lambda text: text.strip())
    return cel.compile(expression).execute(context)


def thing(annotations: dict[str, str] | None = None, tenant: str | None = None, **metadata: Any) -> dict[str, Any]:
    noted = {"annotations": annotations} if annotations else {}
    return {"metadata": {"name": "net-a", **noted, **metadata}, "spec": {} if tenant is None else {"tenant": tenant}}


@pytest.mark.parametrize("own", [None, "true", "false", "yes", ""])
@pytest.mark.parametrize("space", [None, "true", "false", "yes"])
def test_deletion_is_refused_where_the_hooks_would_hold_it(own, space):
    """The nearest word counts and an unreadable one is the cautious one: as `policies` has it, for every pair."""
    annotations = {} if own is None else {KEY: own}
    shared = {} if space is None else {KEY: space}
    meta = ObjectMeta.model_validate({"name": "net-a", "namespace": "team", "uid": "u", "annotations": annotations})
    said = Policy(PROTECTED).says(thing(annotations), None, shared)
    assert (said is not None) == policies(meta, shared, {}).protected


def test_the_refusal_says_where_the_word_stands_and_what_to_do():
    assert Policy(PROTECTED).says(thing({KEY: "true"}), None, {}) == (
        f"net-a is protected by the annotation {KEY} on it: set {KEY}=false on the object to delete it"
    )
    assert "on its Namespace" in str(Policy(PROTECTED).says(thing(), None, {KEY: "true"}))


def test_what_is_being_deleted_already_is_left_to_the_hooks():
    assert Policy(PROTECTED).says(thing({KEY: "true"}, deletionTimestamp="2026-01-01T00:00:00Z"), None, {}) is None


@pytest.mark.parametrize(
    ("listed", "tenant", "allowed"),
    [
        ("t-100,t-200", "t-100", True),
        ("t-100, t-200 ", "t-200", True),
        ("t-100", "t-10", False),
        ("t-100", "t-200", False),
        (None, "t-100", False),
        ("", "t-100", False),
        (None, "", True),
        (None, None, True),
    ],
)
def test_a_tenant_must_be_one_of_its_namespaces(listed, tenant, allowed):
    said = Policy(LISTED).says(None, thing(tenant=tenant), {} if listed is None else {TENANTS: listed})
    assert (said is None) == allowed
    assert allowed or f"tenant '{tenant}' is not allowed in Namespace team" in str(said)


def test_what_is_there_stays_changeable_whatever_its_tenant():
    """Metacontroller writes finalizers by an update: refusing that would hold the object for ever."""
    assert Policy(LISTED).says(thing(tenant="t-1"), thing(tenant="t-1"), {}) is None
    assert Policy(LISTED).says(thing(tenant="t-1"), thing(tenant="t-2"), {TENANTS: "t-1"}) is not None
    assert Policy(LISTED).says(thing(tenant="t-1"), thing(), {}) is None


def test_each_policy_is_bound_and_covers_the_nine_kinds(catalog):
    found = objects(MODES["on"])
    plurals = [kind.names.plural for kind in catalog]
    for name, operations in ((PROTECTED, ["DELETE"]), (LISTED, ["CREATE", "UPDATE"])):
        (rule,) = only("ValidatingAdmissionPolicy", found, name)["spec"]["matchConstraints"]["resourceRules"]
        assert rule == {
            "apiGroups": ["arubacloud.com"],
            "apiVersions": ["*"],
            "operations": operations,
            "resources": plurals,
        }
        binding = only("ValidatingAdmissionPolicyBinding", found, name)["spec"]
        assert binding == {"policyName": name, "validationActions": ["Deny"]}
    assert len(of("ValidatingAdmissionPolicy", found)) == 2
