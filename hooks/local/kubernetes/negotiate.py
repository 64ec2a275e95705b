"""Which form the caller wants its answer in, from its Accept header. The answer is always JSON or YAML."""

from __future__ import annotations

from dataclasses import dataclass

from hooks.local.kubernetes.errors import ApiError

JSON = "application/json"
YAML = "application/yaml"
_FORMS = ("Table", "PartialObjectMetadata", "PartialObjectMetadataList", "APIGroupDiscoveryList")


@dataclass(frozen=True, slots=True)
class Wanted:
    """`form` is empty for the object itself."""

    media: str = JSON
    form: str = ""
    group: str = ""
    version: str = ""

    @property
    def content_type(self) -> str:
        if not self.form or self.form != "APIGroupDiscoveryList":
            return self.media
        return f"{self.media};g={self.group};v={self.version};as={self.form}"


def negotiate(accept: str) -> Wanted:
    """The first of the caller's wishes that can be met. Raises ApiError 406."""
    if not accept.strip():
        return Wanted()
    for part in accept.split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        given = dict(pair.split("=", 1) for pair in parameters if "=" in pair)
        form = given.get("as", "")
        if _spoken(media) and (not form or _known(form, given)):
            return Wanted(YAML if media == YAML else JSON, form, given.get("g", ""), given.get("v", ""))
    raise ApiError(406, "NotAcceptable", f"only the following media types are accepted: {JSON}, {YAML} (got {accept})")


def _spoken(media: str) -> bool:
    return media in ("*/*", "application/*", JSON, YAML)


def _known(form: str, given: dict[str, str]) -> bool:
    return form in _FORMS and given.get("v", "") in ("v1", "v2")
