"""The kinds that are served without a CRD, with as much of their schemas as their users here need.

`api` serves them from the start. Their schemas are our own words; the field names are Kubernetes'.
"""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Any

from hooks.local.kubernetes import crd, events
from hooks.local.kubernetes.namespaces import INITIAL
from hooks.local.kubernetes.objects import Object, metadata, with_metadata
from hooks.local.kubernetes.resources import Column, Resource
from hooks.local.kubernetes.schema import Schema
from hooks.local.kubernetes.table import AGE, path_column

TEXT: Object = {"type": "string"}
WHOLE: Object = {"type": "integer"}
FLAG: Object = {"type": "boolean"}
TIME: Object = {"type": "string", "format": "date-time", "nullable": True}
TEXTS: Object = {"type": "object", "additionalProperties": TEXT}


def record(**properties: Object) -> Object:
    return {"type": "object", "properties": properties}


def listed(item: Object, *keys: str) -> Object:
    kind: Object = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)} if keys else {}
    return {"type": "array", "items": item, **kind}


CONDITION = record(type=TEXT, status=TEXT, reason=TEXT, message=TEXT, lastTransitionTime=TIME)


def kind_schema(description: str, **properties: Object) -> Schema:
    return Schema({**record(**properties), "description": description})


def builtin() -> list[Resource]:
    return [_namespace(), _config_map(), _secret(), _service_account(), *events.resources(), _lease(), _definition()]


def _namespace() -> Resource:
    spec, status = record(finalizers=listed(TEXT)), record(phase=TEXT, conditions=listed(CONDITION, "type"))
    return Resource(
        group="",
        version="v1",
        plural="namespaces",
        singular="namespace",
        kind="Namespace",
        namespaced=False,
        schema=kind_schema("Namespace provides a scope for names.", spec=spec, status=status),
        short_names=("ns",),
        status=True,
        generations=False,
        columns=(path_column("Status", ".status.phase"), AGE),
        fields={"status.phase": "status.phase"},
        born=_new_namespace,
        protected=frozenset(INITIAL),
    )


def _new_namespace(obj: Object) -> Object:
    """Active, named by a label, and held by the controller of namespaces."""
    meta = metadata(obj)
    labelled = with_metadata(
        obj, labels={**(meta.get("labels") or {}), "kubernetes.io/metadata.name": meta.get("name", "")}
    )
    return {**labelled, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _count(name: str, field: str) -> Column:
    def read(obj: Object, now: datetime) -> Any:
        return str(len(obj.get(field) or {}))

    return Column(name, "string", read)


def _config_map() -> Resource:
    return Resource(
        group="",
        version="v1",
        plural="configmaps",
        singular="configmap",
        kind="ConfigMap",
        namespaced=True,
        schema=kind_schema(
            "ConfigMap holds configuration data.",
            data=TEXTS,
            binaryData={"type": "object", "additionalProperties": {**TEXT, "format": "byte"}},
            immutable=FLAG,
        ),
        short_names=("cm",),
        generations=False,
        columns=(_count("Data", "data"), AGE),
    )


def _secret() -> Resource:
    return Resource(
        group="",
        version="v1",
        plural="secrets",
        singular="secret",
        kind="Secret",
        namespaced=True,
        schema=kind_schema(
            "Secret holds secret data.",
            data={"type": "object", "additionalProperties": {**TEXT, "format": "byte"}},
            stringData=TEXTS,
            type={**TEXT, "default": "Opaque"},
            immutable=FLAG,
        ),
        generations=False,
        columns=(path_column("Type", ".type"), _count("Data", "data"), AGE),
        fields={"type": "type"},
        write=_sealed,
    )


def _sealed(secret: Object) -> Object:
    """A Secret as it is stored: `stringData` folded into `data`."""
    plain = secret.get("stringData")
    if not plain:
        return {name: value for name, value in secret.items() if name != "stringData"}
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in plain.items()}
    rest = {name: value for name, value in secret.items() if name != "stringData"}
    return {**rest, "data": {**(secret.get("data") or {}), **encoded}}


def _service_account() -> Resource:
    return Resource(
        group="",
        version="v1",
        plural="serviceaccounts",
        singular="serviceaccount",
        kind="ServiceAccount",
        namespaced=True,
        schema=kind_schema(
            "ServiceAccount binds together a name and an identity.",
            automountServiceAccountToken=FLAG,
            imagePullSecrets=listed(record(name=TEXT), "name"),
            secrets=listed(record(name=TEXT, kind=TEXT, namespace=TEXT), "name"),
        ),
        short_names=("sa",),
        generations=False,
        columns=(_count("Secrets", "secrets"), AGE),
    )


def _lease() -> Resource:
    spec = record(
        holderIdentity=TEXT,
        leaseDurationSeconds=WHOLE,
        acquireTime=TIME,
        renewTime=TIME,
        leaseTransitions=WHOLE,
        strategy=TEXT,
        preferredHolder=TEXT,
    )
    return Resource(
        group="coordination.k8s.io",
        version="v1",
        plural="leases",
        singular="lease",
        kind="Lease",
        namespaced=True,
        schema=kind_schema("Lease defines a lease concept.", spec=spec),
        generations=False,
        columns=(path_column("Holder", ".spec.holderIdentity"), AGE),
    )


def _definition() -> Resource:
    return Resource(
        group=crd.GROUP,
        version="v1",
        plural="customresourcedefinitions",
        singular="customresourcedefinition",
        kind="CustomResourceDefinition",
        namespaced=False,
        schema=Schema(crd.SCHEMA),
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        status=True,
        columns=(Column("Created At", "date", lambda obj, now: metadata(obj).get("creationTimestamp")),),
        check=crd.check,
        cleanup=crd.CLEANUP,
    )
