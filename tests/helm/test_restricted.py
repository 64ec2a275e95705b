"""The Pods pass Pod Security `restricted`, judged by a table of its rules, in every way to install the chart."""

from __future__ import annotations

import pytest

from tests.helm.charted import BASE, MODES, mixed, objects, only

VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
CAPABILITIES = {"NET_BIND_SERVICE"}
HOST = ("hostNetwork", "hostPID", "hostIPC")


def faults(pod: dict) -> list[str]:
    """One word for each rule of the profile that a Pod breaks; the container's word counts before the Pod's."""
    shared = pod.get("securityContext", {})
    found = [word for word in HOST if pod.get(word)]
    found += [f"volume {v['name']}" for v in pod.get("volumes", []) if not (v.keys() - {"name"}) <= VOLUMES]
    for container in pod["containers"] + pod.get("initContainers", []):
        own = container.get("securityContext", {})
        dropped, added = (own.get("capabilities", {}).get(word, []) for word in ("drop", "add"))
        user = own.get("runAsUser", shared.get("runAsUser"))
        profile = own.get("seccompProfile", shared.get("seccompProfile", {})).get("type")
        rules = {
            "privileged": not own.get("privileged"),
            "privilege escalation": own.get("allowPrivilegeEscalation") is False,
            "capabilities": "ALL" in dropped and set(added) <= CAPABILITIES,
            "runAsNonRoot": own.get("runAsNonRoot", shared.get("runAsNonRoot")) is True,
            "runAsUser": user != 0,
            "seccomp": profile in ("RuntimeDefault", "Localhost"),
            "host ports": not any(port.get("hostPort") for port in container.get("ports", [])),
            "proc mount": own.get("procMount", "Default") == "Default",
        }
        found += [rule for rule, kept in rules.items() if not kept]
    return found


def pod(values) -> dict:
    return only("Deployment", objects(values))["spec"]["template"]["spec"]


@pytest.mark.parametrize("mode", MODES)
def test_the_pods_pass(mode):
    assert faults(pod(MODES[mode])) == []


@pytest.mark.parametrize("mode", MODES)
def test_and_run_as_the_image_does_on_a_root_file_system_that_they_cannot_write(mode):
    said = pod(MODES[mode])
    assert said["securityContext"]["runAsUser"] == 65532
    assert said["containers"][0]["securityContext"]["readOnlyRootFilesystem"] is True


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"manager": {"containerSecurityContext": {"allowPrivilegeEscalation": True}}}, "privilege escalation"),
        ({"manager": {"containerSecurityContext": {"capabilities": {"drop": []}}}}, "capabilities"),
        ({"podSecurityContext": {"seccompProfile": {"type": "Unconfined"}}}, "seccomp"),
        ({"podSecurityContext": {"runAsUser": 0}}, "runAsUser"),
        ({"extraVolumes": [{"name": "host", "hostPath": {"path": "/"}}]}, "volume host"),
    ],
)
def test_the_table_sees_what_breaks_a_rule(said, rule):
    assert faults(pod(mixed(BASE, {"controller": said}))) == [rule]


def test_a_platform_that_gives_out_users_itself_may_take_ours_away():
    values = {"controller": {"podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None}}}
    said = pod(mixed(BASE, values))
    assert said["securityContext"].keys() == {"runAsNonRoot", "seccompProfile"}
    assert faults(said) == []


def test_secrets_are_readable_for_the_group_only():
    volumes = {v["name"]: v for v in pod(MODES["all trust"])["volumes"]}
    assert volumes["secret"]["projected"]["defaultMode"] == 0o440
    assert volumes["tls"]["secret"]["defaultMode"] == 0o440


def test_probes_and_metrics_need_no_token():
    container = pod(MODES["all trust"])["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {"hooks": 8443, "metrics": 8081}
    for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
        assert container[probe]["httpGet"] == {"path": path, "port": "metrics"}


def test_a_pod_that_stops_has_time_to_leave_the_services_and_to_finish():
    from hooks.edge.server import STOP_WITHIN

    said = pod(BASE)
    pause = said["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pause > 0
    assert said["terminationGracePeriodSeconds"] >= pause + STOP_WITHIN * 2
