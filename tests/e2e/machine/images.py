"""Which process stands for a container's image. An image that is not known stays in ImagePullBackOff, as it would."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

REAL = os.environ.get("METACONTROLLER", "")
"""The binary of a real Metacontroller; without it the small one plays."""


class Container(NamedTuple):
    """What a container is given: its words, with mounts already those of this machine, and where and who it is."""

    args: list[str]
    address: str
    kubeconfig: Path
    proxy: str


class Process(NamedTuple):
    command: list[str]
    environ: Mapping[str, str] = MappingProxyType({})


def hooks(given: Container) -> Process:
    """Every Pod has all ports for itself, so it listens at the address that is its own here. Where a service account is
    mounted in a container, nothing may be written here: it is told where else its token is.
    """
    args = [f"--host={given.address}" if word.startswith("--host=") else word for word in given.args]
    account = {"ARUBA_VAULT_JWT_FILE": str(token_of(given.kubeconfig))}
    return Process([sys.executable, "-m", "hooks", *args, f"--kubeconfig={given.kubeconfig}"], account)


def token_of(kubeconfig: Path) -> Path:
    """The file beside a kubeconfig that holds its token alone."""
    return kubeconfig.with_suffix(".token")


def metacontroller(given: Container) -> Process:
    """It calls Services by name, through the proxy."""
    through = {"HTTP_PROXY": given.proxy, "HTTPS_PROXY": given.proxy, "NO_PROXY": "127.0.0.1"}
    health = f"--health-probe-bind-address={given.address}:8081"
    if REAL:
        metrics = f"--metrics-address={given.address}:9999"
        return Process([REAL, *given.args, f"--kubeconfig={given.kubeconfig}", health, metrics], through)
    small = [sys.executable, "-m", "tests.e2e.machine.metacontroller"]
    return Process([*small, f"--kubeconfig={given.kubeconfig}", health], through)


def idle(_given: Container) -> Process:
    """Somebody else's operator, which does nothing but run."""
    return Process([sys.executable, "-c", "import signal; signal.pause()"])


IMAGES: Mapping[str, Callable[[Container], Process]] = MappingProxyType(
    {
        "aruba-cloud-operator": hooks,
        "metacontroller": metacontroller,
        "arubacloud-resource-operator": idle,
    }
)
"""By the last part of the image's name, without tag and digest."""


def process(image: str, given: Container) -> Process | None:
    """What to run for this image, None where nobody has it."""
    made = IMAGES.get(image.partition("@")[0].rpartition("/")[2].partition(":")[0])
    return made(given) if made else None
