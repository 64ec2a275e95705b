"""The install without Helm: `metacontroller/overlays/*`, written from what the chart renders for fixed values.

`python -m tests.helm.overlays --write` writes them, without it they are compared; it stands with the tests because
Helm's engine is a tool of the tests only. What is not in them, and why:

- the kinds: `kubectl delete -k` would delete them, all objects with them, and with these what they stand for;
- the namespace: it holds the user's Secrets, and may hold objects;
- the labels by which Helm knows what is its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.helm.charted import TOP, Object, mixed, rendered

FOLDER = "metacontroller/overlays"
IMAGE_NAME = "aruba-cloud-operator"
"""What `images:` of a kustomization replaces."""
HEAD = "# Written by `python -m tests.helm.overlays --write` from the chart: do not edit.\n"
_HELMS = re.compile(r"^ *(app\.kubernetes\.io/managed-by|helm\.sh/chart): .*\n", re.MULTILINE)
_BLANK = re.compile(r"^[ \t]*\n", re.MULTILINE)
ORDER = (
    "serviceaccount", "rbac", "configmap", "admission", "service", "networkpolicy", "deployment", "poddisruptionbudget",
    "monitoring", "compositecontrollers",
)  # fmt: skip
"""Templates in the order in which one reads them, and in which nothing comes before what it needs."""

_ALL: Object = {
    "image": {"repository": IMAGE_NAME},
    "crds": {"enabled": False},
    "config": {"existingSecret": "aruba-operator-secret"},
    "hookAuth": {"token": {"existingSecret": "aruba-hook-token"}},
}
_VAULT: Object = {"config": {"auth": {"mode": "multi", "multi": {"vault": {"address": "https://vault.example:8200"}}}}}
OVERLAYS: Mapping[str, Object] = MappingProxyType({"direct": _ALL, "vault": mixed(_ALL, _VAULT)})
"""Each by the values that it stands for."""

KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - operator.yaml
"""


def files() -> dict[str, str]:
    """Path below the checkout to text."""
    made = {}
    for name, values in OVERLAYS.items():
        made[f"{FOLDER}/{name}/kustomization.yaml"] = HEAD + KUSTOMIZATION
        made[f"{FOLDER}/{name}/operator.yaml"] = HEAD + "---\n".join(_documents(values))
    return made


def _documents(values: Mapping[str, object]) -> Iterator[str]:
    found = {Path(path).stem: text for path, text in rendered(values).items() if path.endswith(".yaml")}
    strangers = [name for name, text in found.items() if name not in ORDER and text.strip()]
    if strangers:
        raise ValueError(f"no place in an overlay is known for what these templates render: {', '.join(strangers)}")
    for name in ORDER:
        for document in re.split(r"^---\n", found[name], flags=re.MULTILINE):
            if text := without_helm(document):
                yield text


def without_helm(text: str) -> str:
    """The text of an object with its comments, but without Helm's two labels and blank lines; nothing of nothing."""
    left = _BLANK.sub("", _HELMS.sub("", text)).rstrip()
    return f"{left}\n" if left else ""


def strays(root: Path) -> list[str]:
    """Files in the folder that nobody writes."""
    found = (path.relative_to(root).as_posix() for path in (root / FOLDER).rglob("*") if path.is_file())
    return sorted(set(found) - set(files()))


def drift(root: Path) -> list[str]:
    """What differs from the chart."""
    told = [path for path, text in files().items() if not (root / path).is_file() or (root / path).read_text() != text]
    return [*told, *strays(root)]


def write(root: Path) -> None:
    for path in strays(root):
        (root / path).unlink()
    for path, text in files().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def main(words: list[str], root: Path = TOP) -> int:
    if words not in ([], ["--write"]):
        sys.stderr.write("usage: python -m tests.helm.overlays [--write]\n")
        return 2
    if words:
        write(root)
    for path in (told := drift(root)):
        sys.stdout.write(f"{path}: differs from what the chart renders. Run: python -m tests.helm.overlays --write\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
