"""The real kubectl builds what the kustomizations tie together."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml

TOP = Path(__file__).parents[2]
KUBECTL = Path(sys.executable).parent / "kubectl"


def build(folder: Path) -> Counter[str]:
    done = subprocess.run([KUBECTL, "kustomize", folder], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return Counter(thing["kind"] for thing in yaml.safe_load_all(done.stdout))


def test_crds_alone():
    assert build(TOP / "crds") == {"CustomResourceDefinition": 9}


def test_all_together():
    assert build(TOP / "metacontroller") == {
        "CustomResourceDefinition": 9,
        "CompositeController": 9,
        "ServiceAccount": 1,
        "ClusterRole": 2,
        "ClusterRoleBinding": 1,
    }
