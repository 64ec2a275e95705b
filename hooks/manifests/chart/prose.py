"""What the chart's README says around its table of values. Used by `pages`."""

from __future__ import annotations

BEFORE = """# Helm chart of the Aruba Cloud operator

Installs the webhooks, the nine kinds, the CompositeControllers that make Metacontroller call the webhooks, and the
rights of all of them. One release a cluster: the controllers' names are fixed, since finalizers carry them. Step by
step: [docs/how-to/install.md](../../docs/how-to/install.md).

It needs Kubernetes 1.30 or later, [Metacontroller](https://metacontroller.github.io/metacontroller/) 4.17.2 or later,
and two things that no default can give: an image of yours (`make image`) and a decision about who may call the
webhooks.

```sh
helm install aruba ./helm/aruba-cloud-operator --namespace aruba-system --create-namespace \\
  --set image.repository=registry.example/team/aruba-cloud-operator \\
  --set config.existingSecret=aruba-operator-secret \\
  --set hookAuth.token.existingSecret=aruba-hook-token
```
"""

AFTER = """## What it does not do

- It makes no secret up and renders the same bytes each time.
- `helm uninstall` leaves kinds and objects, and touches no cloud resource: nothing acts on the objects until the
  operator is back. To take the operator away for good, delete the objects first, or let them go with
  `aruba-hooks release`.
- Most settings are read again by the running process; only `rate-limit`, `body-limit`, `in-flight`, `log-level`, the
  number of replicas and `hookAuth.mode` make new Pods, and that without a checksum: they are environment variables of
  the Deployment.
- It installs neither Metacontroller nor a Vault.

## Values of the Go operator's chart

Its names are taken where they mean the same: `crds`, `config`, `controller`, `kubernetesClusterDomain` and
`serviceAccount`. What would mean something else is refused with a sentence that says so: the Go operator's image and
arguments, `metricsService.ports`, `config.auth.multi.setup: auto` and its Vault. The identity provider's default
differs: this operator's is `https://login.aruba.it/auth`.
"""
