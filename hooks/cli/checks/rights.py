"""May the service accounts do what the generated roles give them? The API server is asked, right by right."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

from hooks.cli.checks.finding import Finding, fail, ok, unseen
from hooks.cli.cluster import Cluster, at
from hooks.meta.outcomes import Trouble

REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
NAMED = 5


class Right(NamedTuple):
    """One verb on one resource in all namespaces, or on the one object of a name."""

    group: str
    resource: str
    verb: str
    name: str = ""

    def __str__(self) -> str:
        what = f"{self.resource}.{self.group}" if self.group else self.resource
        return f"{self.verb} {what}{f' {self.name}' if self.name else ''}"


def needed(objects: Iterable[dict[str, Any]]) -> list[Right]:
    """Every right that generated roles give."""
    return [
        Right(group, resource, verb, name)
        for item in objects
        for rule in item.get("rules", ())
        for group, resource, verb, name in product(
            rule["apiGroups"], rule["resources"], rule["verbs"], rule.get("resourceNames") or [""]
        )
    ]


async def rights(
    cluster: Cluster, who: str, account: tuple[str, str], wanted: Sequence[Right], fix: str
) -> list[Finding]:
    """What a service account, given as namespace and name, may not do of what it needs."""
    named = f"service account {'/'.join(account)} of {who}"
    first = await _review(cluster, account, wanted[0])
    if not isinstance(first, bool):  # who may not ask once need not ask forty times
        return [unseen(f"rights of {named}", first)]
    rest = await asyncio.gather(*(_review(cluster, account, right) for right in wanted[1:]))
    lacking = [str(right) for right, may in zip(wanted, [first, *rest], strict=True) if may is False]
    if not lacking:
        return [ok(f"{named} has the {len(wanted)} rights that it needs")]
    more = f" and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
    return [fail(f"{named} may not: {', '.join(lacking[:NAMED])}{more}", fix)]


async def _review(cluster: Cluster, account: tuple[str, str], right: Right) -> bool | Trouble | None:
    namespace, name = account
    resource, _, subresource = right.resource.partition("/")
    attributes = {"group": right.group, "resource": resource, "subresource": subresource, "verb": right.verb}
    if right.name:
        attributes["name"] = right.name
    spec = {
        "user": f"system:serviceaccount:{namespace}:{name}",
        "groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"],
        "resourceAttributes": attributes,
    }
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    answer = await cluster.post(REVIEWS, body)
    return at(answer, "status", "allowed") is True if isinstance(answer, dict) else answer
