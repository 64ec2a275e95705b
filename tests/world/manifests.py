"""Manifests for scenarios: small builders with the references filled in, and upstream's fixture sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]
TARGETS = {
    "projectReference": "Project",
    "vpcReference": "VPC",
    "securityGroupReference": "SecurityGroup",
    "subnetReferences": "Subnet",
    "securityGroupReferences": "SecurityGroup",
    "keyPairReference": "KeyPair",
    "elasticIPReference": "ElasticIP",
    "bootVolumeReference": "BlockStorage",
    "dataVolumeReferences": "BlockStorage",
}
SAMPLES = Path(__file__).parent.parent / "fixtures" / "samples"


def ref(name: str, namespace: str = "default") -> Object:
    return {"name": name, "namespace": namespace}


def make(kind: str, name: str, spec: Object, namespace: str = "default", **annotations: str) -> Object:
    metadata: Object = {"name": name, "namespace": namespace}
    if annotations:
        metadata["annotations"] = {f"arubacloud.com/{key.replace('_', '-')}": text for key, text in annotations.items()}
    return {"apiVersion": "arubacloud.com/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def project(name: str = "prj-a", namespace: str = "default", **spec: Any) -> Object:
    return make("Project", name, {"tenant": "t-100", **spec}, namespace)


def vpc(name: str = "net-a", namespace: str = "default", **spec: Any) -> Object:
    return make("VPC", name, {"tenant": "t-100", "projectReference": ref("prj-a"), **spec}, namespace)


def fixture_set(name: str, stem: str = "shop", namespace: str = "default", tenant: str = "ARU-000001") -> list[Object]:
    """The manifests of one of upstream's sets, placeholders filled in.

    The data volume is `<stem>-data`: the sample gives it the boot volume's placeholder, which would make them one.
    """
    sets = yaml.safe_load((SAMPLES / "fixture-sets.yaml").read_text())["fixtureSets"]
    return [item for file in sets[name] for item in filled(file, stem, namespace, tenant)]


def spread(items: list[Object], namespaces: list[str]) -> list[Object]:
    """The objects dealt out over namespaces in turn, every reference following the object that it names."""
    home = {(item["kind"], name_of(item)): namespaces[i % len(namespaces)] for i, item in enumerate(items)}
    for item in items:
        item["metadata"]["namespace"] = home[item["kind"], name_of(item)]
        for field, found in references(item):
            found["namespace"] = home[TARGETS[field], found["name"]]
    return items


def references(item: Object) -> list[tuple[str, Object]]:
    """Every reference of an object with the name of its field."""
    found: list[tuple[str, Object]] = []
    for field, value in item["spec"].items():
        if field in TARGETS:
            found += [(field, one) for one in (value if isinstance(value, list) else [value])]
    return found


def name_of(item: Object) -> str:
    return item["metadata"]["name"]


def filled(file: str, stem: str, namespace: str, tenant: str) -> list[Object]:
    own = f"{stem}-data" if file == "blockstorage-data-volume" else stem
    text = (SAMPLES / f"arubacloud.com_v1alpha1_{file}.yaml").read_text()
    places = {
        "__NAMESPACE__": namespace,
        "__TENANT__": tenant,
        "__PROJECT_NAME__": stem,
        "__PROJECT_NAMESPACE__": namespace,
        "__DATA_VOLUME_NAME__": f"{stem}-data",
        "__DATA_VOLUME_NAMESPACE__": namespace,
        "__NAME__": own,
    }
    for place, value in places.items():
        text = text.replace(place, value)
    return [item for item in yaml.safe_load_all(text) if item]
