"""What the API says of itself: groups, versions, resources, in the old form and the aggregated one. `app` serves it."""

from __future__ import annotations

from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.resources import Resource, Served

VERSION: Object = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.3",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "go1.26",
    "compiler": "gc",
    "platform": "linux/amd64",
}
_STATUS_VERBS = ["get", "patch", "update"]
_REVIEWS = {
    "authorization.k8s.io": ("selfsubjectaccessreviews", "SelfSubjectAccessReview"),
    "authentication.k8s.io": ("selfsubjectreviews", "SelfSubjectReview"),
}
"""Requests that are answered and not stored, by group, all in version v1."""


def groups(served: Served) -> dict[str, list[str]]:
    """Every group but the core one, with its versions, the preferred one first."""
    found = {group: versions for group, versions in served.versions().items() if group}
    return {**found, **{group: ["v1"] for group in _REVIEWS}}


def group_list(served: Served) -> Object:
    listed = [_group(name, versions) for name, versions in groups(served).items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}


def group(served: Served, name: str) -> Object | None:
    versions = groups(served).get(name)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)} if versions else None


def _group(name: str, versions: list[str]) -> Object:
    known = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": known, "preferredVersion": known[0]}


def core_versions() -> Object:
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def resource_list(served: Served, group_name: str, version: str) -> Object | None:
    entries = [
        entry for resource in served.of_group(group_name) if resource.version == version for entry in _entries(resource)
    ]
    if group_name in _REVIEWS and version == "v1":
        plural, kind = _REVIEWS[group_name]
        review: Object = {"name": plural, "singularName": kind.lower(), "namespaced": False, "kind": kind}
        entries.append({**review, "verbs": ["create"]})
    name = f"{group_name}/{version}" if group_name else version
    return (
        {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": entries} if entries else None
    )


def _entries(resource: Resource) -> list[Object]:
    entry: Object = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    status = {**entry, "name": f"{resource.plural}/status", "singularName": "", "verbs": _STATUS_VERBS}
    return [entry, {name: status[name] for name in ("name", "singularName", "namespaced", "kind", "verbs")}][
        : 2 if resource.status else 1
    ]


def aggregated(served: Served, core: bool) -> Object:
    """`APIGroupDiscoveryList`: everything in one answer, of the core group or of all others."""
    known = {"": ["v1"]} if core else groups(served)
    items = [
        {
            "metadata": {"name": name or None, "creationTimestamp": None},
            "versions": [_aggregated_version(served, name, version) for version in versions],
        }
        for name, versions in known.items()
    ]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _aggregated_version(served: Served, group_name: str, version: str) -> Object:
    found = [resource for resource in served.of_group(group_name) if resource.version == version]
    entries = [_aggregated_resource(resource) for resource in found]
    if group_name in _REVIEWS and version == "v1":
        plural, kind = _REVIEWS[group_name]
        entries.append(_aggregated_entry(plural, _response(group_name, version, kind), kind.lower(), False, ["create"]))
    return {"version": version, "resources": entries, "freshness": "Current"}


def _response(group_name: str, version: str, kind: str) -> Object:
    return {"group": group_name, "version": version, "kind": kind}


def _aggregated_entry(plural: str, response: Object, singular: str, namespaced: bool, verbs: list[str]) -> Object:
    return {
        "resource": plural,
        "responseKind": response,
        "scope": "Namespaced" if namespaced else "Cluster",
        "singularResource": singular,
        "verbs": verbs,
    }


def _aggregated_resource(resource: Resource) -> Object:
    response = _response(resource.group, resource.version, resource.kind)
    entry = _aggregated_entry(resource.plural, response, resource.singular, resource.namespaced, list(resource.verbs))
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    if resource.status:
        entry["subresources"] = [{"subresource": "status", "responseKind": response, "verbs": _STATUS_VERBS}]
    return entry


def is_review(group_name: str, version: str, plural: str) -> bool:
    return version == "v1" and group_name in _REVIEWS and _REVIEWS[group_name][0] == plural


def reviewed(group_name: str, body: Object) -> Object:
    """The answer to a review: everybody may do everything here."""
    user = {"username": "local", "groups": ["system:masters", "system:authenticated"]}
    status: Object = {"allowed": True} if group_name == "authorization.k8s.io" else {"userInfo": user}
    return {**body, "status": status}
