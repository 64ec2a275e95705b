"""The claim: upstream's ownership annotation and label, and a label for each object used (behaviour §2.9, design §6).

Native owner references cannot cross namespaces. The claim is written as soon as the owner is seen, restored when
somebody removes it, replaced when the owner is another object, and left alone while the owner is being deleted.
"""

from __future__ import annotations

import json

from hooks.aruba.engine.findings import Claim, Resolved
from hooks.aruba.engine.notes import OWNER, OWNER_REFERENCES, RESOURCE_ID, USES, adoptee, uses
from hooks.aruba.engine.recall import Past
from hooks.aruba.engine.values import Origin, Target
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION
from hooks.contract.requests import Parent

USED = "true"


def claim(kind: Kind, parent: Parent, resolved: Resolved, past: Past, came: Origin) -> Claim:
    """Compare the claim that should stand with the metadata shown. What we did not make keeps its second home."""
    annotations: dict[str, str | None] = {}
    if came in (Origin.ADOPTED, Origin.TAKEN) and past.resource_id and not adoptee(parent.metadata):
        annotations[RESOURCE_ID] = past.resource_id
    labels = _uses(kind, parent, resolved, past)
    owner = next(iter(resolved.of(kind.owner.name)), None) if kind.owner is not None else None
    # While the owner goes, nothing new becomes its own; but a child that has something in the cloud must be found.
    if owner is not None and owner.uid and (not owner.deleting or past.resource_id or past.announced):
        wanted = _owner_reference(owner)
        if parent.metadata.annotations.get(OWNER_REFERENCES) != wanted:
            annotations[OWNER_REFERENCES] = wanted
        label = f"{OWNER}{owner.kind.lower()}"
        if parent.metadata.labels.get(label) != owner.uid:
            labels[label] = owner.uid
    return Claim(annotations, labels)


def _uses(kind: Kind, parent: Parent, resolved: Resolved, past: Past) -> dict[str, str | None]:
    """Labels to add for what is used, and to take away for what no longer is, once all references are seen.

    What has been let go of is used until it is detached: its own DELETE waits for that.
    """
    owner = kind.owner.name if kind.owner is not None else ""
    attached = [t for t in resolved.parted if t.id.lower() in past.ids_of(kind.by_name[t.field].id_field)]
    used = {uses(t.uid) for t in (*resolved.targets, *attached) if t.field != owner and t.uid}
    has = {label for label, value in parent.metadata.labels.items() if label.startswith(USES) and value == USED}
    changed: dict[str, str | None] = dict.fromkeys(sorted(used - has), USED)
    if all(target.uid for target in resolved.targets):
        changed.update(dict.fromkeys(sorted(has - used)))
    return changed


def _owner_reference(owner: Target) -> str:
    """Upstream's annotation, members in upstream's order, so that live objects carry over unchanged."""
    entry = {
        "apiVersion": API_VERSION,
        "kind": owner.kind,
        "namespace": owner.namespace,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return json.dumps([entry], separators=(",", ":"))
