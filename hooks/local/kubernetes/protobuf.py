"""Kubernetes' protobuf bodies, read into the same JSON data: typed Go clients send built-in kinds no other way.

`kubectl create namespace`, `create configmap`, `auth can-i` and the like do, and so do controllers that write Events
and Leases. `writes` calls `decode`; answers are always JSON, which those clients accept. Field numbers are those of
the published `generated.proto` files.
"""

from __future__ import annotations

from hooks.local.kubernetes.errors import bad_request, not_modelled
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.wire import Message, encoded, mapping, message, moment, read, several, text, texts, whole

MEDIA = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"
_UNKNOWN: Message = {1: ("typeMeta", message(texts("apiVersion", "kind"))), 2: ("raw", bytes)}
_OWNER: Message = {
    1: ("kind", text),
    3: ("name", text),
    4: ("uid", text),
    5: ("apiVersion", text),
    6: ("controller", bool),
    7: ("blockOwnerDeletion", bool),
}
_METADATA: Message = {
    **texts("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"),
    7: ("generation", whole),
    8: ("creationTimestamp", moment),
    9: ("deletionTimestamp", moment),
    10: ("deletionGracePeriodSeconds", whole),
    11: ("labels", mapping(bytes.decode)),
    12: ("annotations", mapping(bytes.decode)),
    13: ("ownerReferences", several(message(_OWNER))),
    14: ("finalizers", several(bytes.decode)),
}
_META: Message = {1: ("metadata", message(_METADATA))}
_REFERENCE = texts("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_SOURCE = texts("component", "host")
_SERIES: Message = {1: ("count", whole), 2: ("lastObservedTime", moment)}
_EVENT: Message = {
    **_META,
    2: ("involvedObject", message(_REFERENCE)),
    3: ("reason", text),
    4: ("message", text),
    5: ("source", message(_SOURCE)),
    6: ("firstTimestamp", moment),
    7: ("lastTimestamp", moment),
    8: ("count", whole),
    9: ("type", text),
    10: ("eventTime", moment),
    11: ("series", message(_SERIES)),
    12: ("action", text),
    13: ("related", message(_REFERENCE)),
    14: ("reportingComponent", text),
    15: ("reportingInstance", text),
}
_NEWER_EVENT: Message = {
    **_META,
    2: ("eventTime", moment),
    3: ("series", message(_SERIES)),
    4: ("reportingController", text),
    5: ("reportingInstance", text),
    6: ("action", text),
    7: ("reason", text),
    8: ("regarding", message(_REFERENCE)),
    9: ("related", message(_REFERENCE)),
    10: ("note", text),
    11: ("type", text),
    12: ("deprecatedSource", message(_SOURCE)),
    13: ("deprecatedFirstTimestamp", moment),
    14: ("deprecatedLastTimestamp", moment),
    15: ("deprecatedCount", whole),
}
_LEASE: Message = {
    1: ("holderIdentity", text),
    2: ("leaseDurationSeconds", whole),
    3: ("acquireTime", moment),
    4: ("renewTime", moment),
    5: ("leaseTransitions", whole),
    6: ("strategy", text),
    7: ("preferredHolder", text),
}
_ACCESS: Message = {
    1: (
        "resourceAttributes",
        message(texts("namespace", "verb", "group", "version", "resource", "subresource", "name")),
    ),
    2: ("nonResourceAttributes", message(texts("path", "verb"))),
}
_DELETE: Message = {
    1: ("gracePeriodSeconds", whole),
    2: ("preconditions", message(texts("uid", "resourceVersion"))),
    3: ("orphanDependents", bool),
    4: ("propagationPolicy", text),
    5: ("dryRun", several(bytes.decode)),
}
_SECRET: Message = {
    **_META,
    2: ("data", mapping(encoded)),
    3: ("type", text),
    4: ("stringData", mapping(bytes.decode)),
    5: ("immutable", bool),
}
_CONFIG_MAP: Message = {
    **_META,
    2: ("data", mapping(bytes.decode)),
    3: ("binaryData", mapping(encoded)),
    4: ("immutable", bool),
}
_NAMESPACE: Message = {
    **_META,
    2: ("spec", message({1: ("finalizers", several(bytes.decode))})),
    3: ("status", message(texts("phase"))),
}
_SERVICE_ACCOUNT: Message = {
    **_META,
    2: ("secrets", several(message(_REFERENCE))),
    3: ("imagePullSecrets", several(message(texts("name")))),
    4: ("automountServiceAccountToken", bool),
}
KINDS: dict[tuple[str, str], Message] = {
    ("v1", "Namespace"): _NAMESPACE,
    ("v1", "ConfigMap"): _CONFIG_MAP,
    ("v1", "Secret"): _SECRET,
    ("v1", "ServiceAccount"): _SERVICE_ACCOUNT,
    ("v1", "Event"): _EVENT,
    ("events.k8s.io/v1", "Event"): _NEWER_EVENT,
    ("coordination.k8s.io/v1", "Lease"): {**_META, 2: ("spec", message(_LEASE))},
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview"): {**_META, 2: ("spec", message(_ACCESS))},
    ("authentication.k8s.io/v1", "SelfSubjectReview"): _META,
}


def decode(raw: bytes) -> Object:
    """The object in a body. Raises ApiError 400 for a broken body, 501 for a kind that is not known here."""
    if not raw.startswith(_MAGIC):
        raise bad_request("provided data does not appear to be a protobuf message, expected prefix 6b 38 73 00")
    try:
        envelope = read(raw[len(_MAGIC) :], _UNKNOWN)
        kind = envelope["typeMeta"]
        fields = _message_of(kind.get("apiVersion", ""), kind.get("kind", ""))
        if fields is None:
            raise not_modelled(f"protobuf for {kind.get('kind')} in {kind.get('apiVersion')}")
        return {**kind, **read(envelope.get("raw", b""), fields)}
    except (IndexError, KeyError, ValueError) as error:
        raise bad_request(f"the protobuf body cannot be read: {error}") from error


def _message_of(api_version: str, kind: str) -> Message | None:
    """DeleteOptions come under the version of what they delete."""
    return _DELETE if kind == "DeleteOptions" else KINDS.get((api_version, kind))
