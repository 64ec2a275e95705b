"""One pass over one object, told on one screen (design §3)."""

from __future__ import annotations

from hooks.aruba.engine.act import act
from hooks.aruba.engine.adopting import rivals
from hooks.aruba.engine.compare import compare
from hooks.aruba.engine.decide import decide
from hooks.aruba.engine.events import events
from hooks.aruba.engine.kin import relatives
from hooks.aruba.engine.know import know, proven
from hooks.aruba.engine.observe import observe
from hooks.aruba.engine.pace import unheard
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.report import report
from hooks.aruba.engine.restraint import restrained
from hooks.aruba.engine.retrace import retraced
from hooks.aruba.engine.schedule import NET
from hooks.aruba.engine.situate import against, situate
from hooks.aruba.engine.spaces import spaces
from hooks.aruba.engine.story import Otherwise, Policy, Story
from hooks.aruba.engine.values import Cloud, Raw
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.contract.replies import Busy, Reply, SyncReply
from hooks.contract.requests import SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

LOOK_TIME = 10.0
"""Seconds that the look of a pass may take: what it showed, or did not, must still be told (cases 52)."""


async def reconcile(
    kind: Kind, catalog: Catalog, call: SyncCall, ports: Ports, policy: Policy, deadline: Deadline
) -> Reply:
    """Look, decide, do at most the next thing, and say what the object should show."""
    reply = await _pass(kind, catalog, call, ports, policy, deadline)
    if isinstance(reply, Otherwise):
        reply = await _pass(kind, catalog, call.about(reply.raw), ports, policy, deadline)
    return Busy(1, "the schema of its kind is being changed") if isinstance(reply, Otherwise) else reply


async def _pass(
    kind: Kind, catalog: Catalog, call: SyncCall, ports: Ports, policy: Policy, deadline: Deadline
) -> Reply | Otherwise:
    if call.parent.metadata.deleting and not call.finalizing:
        return SyncReply(status=dict(call.parent.status or {}), resyncAfterSeconds=NET)
    allowed = await spaces(kind, call, policy, ports.kube, deadline)
    if isinstance(allowed, Trouble):
        return unheard(call.parent, allowed, ports.clock.now(), "what its Namespace allows is not known: ")
    known = know(kind, catalog, call, policy, ports.clock.now(), allowed)
    known = await retraced(known, ports.kube, deadline)
    observed = await observe(known, ports.cloud, deadline.within(ports.clock.monotonic(), LOOK_TIME))
    known, kin = await relatives(proven(known, observed), observed, call, ports.kube, deadline)
    live = observed.live if observed.cloud is Cloud.SETTLED else None
    comparison = compare(kind, known.resolved, known.past, live, known.path)
    wrong = against(known, observed, comparison)
    situation = situate(known, observed, comparison, wrong, kin)
    story = Story(
        **vars(known),
        observed=observed,
        comparison=comparison,
        wrong=wrong,
        kin=kin,
        situation=situation,
        decided=decide(situation),
        rivals=await rivals(known, observed, ports.kube, deadline),
    )
    step = restrained(story.decided, known)
    outcome = await act(step, story, ports, deadline)
    if isinstance(outcome, Otherwise):
        return outcome
    reply = report(step, story, outcome, ports.clock.now())
    for event in events(step, story, outcome, reply):
        ports.kube.tell(_about(story), kind.names.kind, event.warning, event.reason, event.message)
    return reply


def _about(story: Story) -> Raw:
    """As much of the object as an Event needs to name it."""
    meta = story.parent.metadata
    names = {"name": meta.name, "namespace": meta.namespace, "uid": meta.uid, "resourceVersion": meta.resourceVersion}
    return {"apiVersion": story.parent.apiVersion, "metadata": names}
