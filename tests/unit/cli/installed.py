"""A cluster with everything installed, as answers to the requests of `doctor`; a test breaks one of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from hooks.aruba.kinds import discover
from hooks.cli.checks.finding import Finding
from hooks.cli.cluster import Cluster
from hooks.cli.doctor import examine
from hooks.http import AsyncBaseTransport, AsyncClient, ConnectError, Request, Response
from hooks.manifests import composite_controllers, crds
from tests.world.time import LoopClock

Object = dict[str, Any]
NAMESPACE, NAME = "aruba-system", "aruba-cloud-operator-hooks"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
COMPOSITES = "/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers"
DEPLOYMENTS, STATEFULSETS = "/apis/apps/v1/deployments", "/apis/apps/v1/statefulsets"
SERVICE = f"/api/v1/namespaces/{NAMESPACE}/services/{NAME}"
READYZ = f"/api/v1/namespaces/{NAMESPACE}/services/{NAME}:8080/proxy/readyz"
SLICES = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices"
CONFIG = f"/api/v1/namespaces/{NAMESPACE}/configmaps/operator-config"
SECRET = f"/api/v1/namespaces/{NAMESPACE}/secrets/operator-config"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
KINDS = "/apis/arubacloud.com/v1alpha1"
ISSUER = "https://login.test/auth/realms/cmp/.well-known/openid-configuration"
GATEWAY = "https://api.test"


def status(code: int, message: str = "") -> tuple[int, Object]:
    """An answer of the API server that is no object."""
    return code, {"kind": "Status", "code": code, "message": message, "details": {}}


class Installed(AsyncBaseTransport):
    """`paths` are the cluster's answers, `urls` everybody else's; `may` answers the questions about rights."""

    def __init__(self) -> None:
        self.paths = _paths()
        self.urls: dict[str, tuple[int, Object]] = {ISSUER: (200, {}), GATEWAY: (404, {})}
        self.may: Callable[[Object], bool] = lambda spec: True
        self.asked: list[str] = []

    async def handle_async_request(self, request: Request) -> Response:
        self.asked.append(f"{request.method} {request.url}")
        if request.url.host != "kube.test":
            return self._elsewhere(request)
        body: Any = self.paths.get(request.url.path, status(404, "the server could not find the requested resource"))
        if request.url.path == REVIEWS and body is True:
            asked = json.loads(await request.aread())
            body = (201, {**asked, "status": {"allowed": self.may(asked["spec"])}})
        code, answer = body if isinstance(body, tuple) else (200, body)
        return Response(code, json=answer, request=request)

    def _elsewhere(self, request: Request) -> Response:
        found = self.urls.get(str(request.url).rstrip("/"))
        if found is None:
            raise ConnectError(f"nobody listens at {request.url.host}", request=request)
        return Response(found[0], json=found[1], request=request)

    async def examined(self, namespace: str = "") -> list[Finding]:
        async with AsyncClient(transport=self, base_url="http://kube.test") as client:
            async with AsyncClient(transport=self) as direct:
                cluster = Cluster(client, LoopClock())
                return [finding async for finding in examine(cluster, direct, discover(), namespace)]


def _paths() -> dict[str, Any]:
    kinds = discover()
    return {
        "/version": {"gitVersion": "v1.36.3"},
        **{f"{DEFINITIONS}/{crd['metadata']['name']}": established(crd) for crd in crds(kinds)},
        f"{DEFINITIONS}/compositecontrollers.metacontroller.k8s.io": {"kind": "CustomResourceDefinition"},
        COMPOSITES: {"items": composite_controllers(kinds)},
        DEPLOYMENTS: {"items": [hooks_deployment()]},
        STATEFULSETS: {"items": [engine()]},
        SERVICE: {"spec": {"selector": {"app": "hooks"}, "ports": [{"port": 8080}]}},
        SLICES: {"items": [{"endpoints": [{"conditions": {"ready": True}}]}]},
        READYZ: readiness(),
        CONFIG: {
            "kind": "ConfigMap",
            "data": {"api-gateway": GATEWAY, "keycloak-url": "https://login.test/auth", "realm-api": "cmp"},
        },
        SECRET: secret(**{"client-id": "me", "client-secret": "hush"}),
        REVIEWS: True,
        **{f"{KINDS}/{kind.names.plural}": {"items": []} for kind in kinds},
    }


def established(crd: Object) -> Object:
    conditions = [{"type": name, "status": "True"} for name in ("NamesAccepted", "Established")]
    return {**crd, "status": {"conditions": conditions}}


def secret(**data: str) -> Object:
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
    return {"kind": "Secret", "type": "Opaque", "data": encoded}


def workload(name: str, namespace: str, image: str, labels: Object, **template: Any) -> Object:
    container = {"image": image, "args": template.pop("args", []), "env": template.pop("env", [])}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [container], **template}}
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"replicas": 1, "template": pod},
        "status": {"readyReplicas": 1},
    }


def hooks_deployment(**template: Any) -> Object:
    return workload(NAME, NAMESPACE, "aruba-hooks:0.1.0", {"app": "hooks"}, **{"serviceAccountName": NAME, **template})


AMPLE = ("--client-go-qps=100", "--client-go-burst=200", "--workers=20")


def engine(version: str = "v4.17.2", args: tuple[str, ...] = AMPLE) -> Object:
    labels = {"app.kubernetes.io/name": "metacontroller"}
    image = f"ghcr.io/metacontroller/metacontroller:{version}"
    return workload("metacontroller", "metacontroller", image, labels, args=list(args), serviceAccountName="mc")


def go_operator(replicas: int = 1) -> Object:
    labels = {"control-plane": "controller-manager"}
    image = "ghcr.io/arubacloud/arubacloud-resource-operator:1.1.2"
    found = workload("aruba-controller-manager", NAMESPACE, image, labels)
    return {**found, "spec": {**found["spec"], "replicas": replicas}}


def readiness(**peers: Object) -> Object:
    fine = {name: {"state": "ok", "age": 1.0, "for": 60.0} for name in ("kubernetes", "cloud", "token endpoint")}
    return {"ready": True, "reasons": [], "notes": [], "peers": {**fine, **peers}}


def custom(plural_kind: str, name: str, finalizers: tuple[str, ...] = (), **conditions: Object) -> Object:
    listed = [{"type": kind, **said} for kind, said in conditions.items()]
    metadata = {"name": name, "namespace": "default", "finalizers": list(finalizers)}
    return {"kind": plural_kind, "metadata": metadata, "status": {"conditions": listed}}
