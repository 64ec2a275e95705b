"""Does Metacontroller itself run, and in a version that serves these kinds?"""

from __future__ import annotations

import re

from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn
from hooks.cli.checks.workloads import Workload
from hooks.meta.outcomes import Trouble

INSTALL = "install Metacontroller 4.17.2 or later"
OLDEST = (4, 17, 2)
_VERSION = re.compile(r":v?(\d+)\.(\d+)\.(\d+)")


def metacontroller(found: list[Workload] | Trouble | None) -> tuple[list[Finding], Workload | None]:
    """Metacontroller by its usual names; it may run elsewhere under another, so not finding it proves nothing."""
    if not isinstance(found, list):
        return [unseen("Metacontroller itself", found)], None
    named = [w for w in found if _is_metacontroller(w)]
    if not named:
        return [
            warn("Metacontroller itself: not found by its usual names", f"{INSTALL}, unless it runs elsewhere")
        ], None
    return [_runs(named[0]), *_too_many(named)], named[0]


def _is_metacontroller(workload: Workload) -> bool:
    label = str(workload.labels.get("app.kubernetes.io/name", ""))
    images = [image.partition("@")[0].rpartition("/")[2].partition(":")[0] for image in workload.images]
    return label in ("metacontroller", "metacontroller-helm") or "metacontroller" in (workload.name, *images)


def _runs(workload: Workload) -> Finding:
    image = next((image for image in workload.images if "metacontroller" in image), "".join(workload.images[:1]))
    if workload.ready == 0:
        why = "it is scaled to 0" if workload.wanted == 0 else "no replica is ready"
        fix = f"{workload.scaled}1" if workload.wanted == 0 else f"kubectl -n {workload.namespace} get pods"
        return fail(f"Metacontroller ({workload}, {image}) does not run: {why}", fix)
    version = _VERSION.search(image)
    if version and tuple(map(int, version.groups())) < OLDEST:
        return fail(f"Metacontroller ({workload}) is too old: {image}", INSTALL)
    return ok(f"Metacontroller runs: {workload}, {image}, {workload.ready} of {workload.wanted} ready")


def _too_many(named: list[Workload]) -> list[Finding]:
    running = [w for w in named if w.wanted]
    if len(running) < 2:
        return []
    return [warn(f"several Metacontrollers run: {', '.join(map(str, running))}", "let only one act on these kinds")]
