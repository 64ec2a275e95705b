"""A cloud resource as the API shows it, read tolerantly: absent, null and unknown members never raise (api §3, §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Ids = frozenset[str]


def last_segment(uri: object) -> str:
    """The id at the end of a resource URI; URIs differ in case and spelling, ids do not (api §3)."""
    return uri.rstrip("/").rsplit("/", 1)[-1].lower() if isinstance(uri, str) else ""


def dig(body: Any, path: str) -> Any:
    """The value at a dotted path, or None where any step is missing."""
    for step in path.split("."):
        if not isinstance(body, Mapping):
            return None
        body = body.get(step)
    return body


class Live(NamedTuple):
    """One resource: the whole answer, or a row of a listing."""

    body: Mapping[str, Any]

    @property
    def id(self) -> str:
        """`metadata.id`; older answers carry it at the top (api §8.6)."""
        return str(dig(self.body, "metadata.id") or self.body.get("id") or "")

    @property
    def name(self) -> str:
        return str(dig(self.body, "metadata.name") or "")

    @property
    def tags(self) -> tuple[str, ...]:
        tags = dig(self.body, "metadata.tags")
        return tuple(str(tag) for tag in tags) if isinstance(tags, list) else ()

    @property
    def state(self) -> str:
        return str(dig(self.body, "status.state") or "")

    @property
    def trouble(self) -> str:
        """Why the platform says it failed or was disabled, in its own words; empty when it does not say."""
        told = [dig(self.body, "status.failureReason"), dig(self.body, "status.error.message")]
        reasons = dig(self.body, "status.disableStatusInfo.reasons")
        told += reasons if isinstance(reasons, list) else []
        return ", ".join(str(text) for text in told if text)

    def get(self, path: str) -> Any:
        """A property by dotted path, None when the cloud does not return it: no opinion, never a difference."""
        return dig(self.body.get("properties"), path)

    def meta(self, path: str) -> Any:
        """A metadata member by dotted path."""
        return dig(self.body.get("metadata"), path)

    def linked(self, collection: str) -> Ids | None:
        """Ids of the linked resources of one collection, None when the answer has no links at all."""
        links = self.get("linkedResources")
        if not isinstance(links, list):
            return None
        uris = [link.get("uri") for link in links if isinstance(link, Mapping)]
        marker = f"/{collection.lower()}/"
        return frozenset(last_segment(uri) for uri in uris if isinstance(uri, str) and marker in uri.lower())


def linked(live: Live) -> list[str]:
    """The URIs of everything that a resource is bound to, from its links (api §4.4), sorted."""
    links = live.get("linkedResources")
    uris = [link.get("uri") for link in links if isinstance(link, Mapping)] if isinstance(links, list) else []
    return sorted(uri for uri in uris if isinstance(uri, str) and uri.count("/") > 1)


def holders(live: Live) -> list[str]:
    """What a resource is bound to, as `<collection>/<id>`."""
    return ["/".join(uri.rstrip("/").rsplit("/", 2)[-2:]) for uri in linked(live)]
