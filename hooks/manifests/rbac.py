"""Who may do what: Metacontroller with our kinds, and the hooks themselves. Nothing wider. Called by `files`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP

Object = dict[str, Any]

NAMESPACE = "aruba-system"
ACCOUNT = "aruba-cloud-operator-hooks"
METACONTROLLER_ROLE = "aruba-cloud-operator-metacontroller"
AGGREGATE_LABEL = f"rbac.{GROUP}/aggregate-to-metacontroller"
_RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]


def metacontroller_rbac(kinds: Iterable[Kind]) -> list[Object]:
    """A ClusterRole with all that Metacontroller needs to serve these kinds (mc §5), to be bound or aggregated."""
    plurals = [kind.names.plural for kind in kinds]
    rules = [
        _rule(GROUP, plurals, [*_READ, "update"]),
        _rule(GROUP, [f"{plural}/status" for plural in plurals], ["update"]),
        _rule("metacontroller.k8s.io", ["compositecontrollers", "decoratorcontrollers", "controllerrevisions"], _READ),
        _rule("apiextensions.k8s.io", ["customresourcedefinitions"], _READ),
        _rule("", ["namespaces"], _READ),
        _rule("", ["events"], ["create", "patch"]),
    ]
    return [_cluster_role(METACONTROLLER_ROLE, rules, {AGGREGATE_LABEL: "true"})]


def metacontroller_secrets() -> Object:
    """What Metacontroller needs besides when a CompositeController names a Secret: it watches all of them (mc §1.3)."""
    name = f"{METACONTROLLER_ROLE}-secrets"
    return _cluster_role(name, [_rule("", ["secrets"], _READ)], {AGGREGATE_LABEL: "true"})


def hooks_rbac(kinds: Iterable[Kind]) -> list[Object]:
    """The hooks' ServiceAccount and what it may do: read, claim, cascade, see a kind uninstalled, tell Events."""
    plurals = [kind.names.plural for kind in kinds]
    definitions = _rule("apiextensions.k8s.io", ["customresourcedefinitions"], ["get"])
    rules = [
        _rule(GROUP, plurals, ["get", "list", "patch", "delete"]),
        _rule("", ["namespaces"], ["get"]),
        definitions | {"resourceNames": [f"{plural}.{GROUP}" for plural in plurals]},
        _rule("", ["events"], ["create", "patch"]),
    ]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": NAMESPACE}}
    return [account, _cluster_role(ACCOUNT, rules), _binding()]


def _rule(group: str, resources: list[str], verbs: list[str]) -> Object:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def _cluster_role(name: str, rules: list[Object], labels: dict[str, str] | None = None) -> Object:
    metadata: Object = {"name": name, "labels": labels} if labels else {"name": name}
    return {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": metadata, "rules": rules}


def _binding() -> Object:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": ACCOUNT},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": ACCOUNT},
        "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}],
    }
