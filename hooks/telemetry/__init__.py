"""What the process tells its operators: log lines and metrics. Handed to every room that has something to tell."""

from __future__ import annotations

from typing import NamedTuple

from hooks.telemetry.log import Log
from hooks.telemetry.metrics import Metrics


class Telemetry(NamedTuple):
    """One logger and one set of metrics, as a process has them."""

    log: Log
    metrics: Metrics
