"""A corner of a real server for one test: mounts of its own, a role that may read there, secrets of tenants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hooks.aruba.credentials.access import Access
from tests.vault.bao import Bao


@dataclass
class Place:
    """`mount`, `prefix`, `path` and `namespace` are the settings kv-mount, kv-prefix, role-path and role-namespace."""

    bao: Bao
    mount: str
    path: str
    prefix: str = ""
    namespace: str = ""
    role_id: str = ""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.bao.call(method, path, body, self.namespace)

    def furnish(self, **role: Any) -> Place:
        """What an administrator does once: the KV engine, the policy, the role; `role` adds to its settings."""
        if self.namespace:
            self.bao.call("POST", f"sys/namespaces/{self.namespace}")
        self.call("POST", f"sys/mounts/{self.mount}", {"type": "kv", "options": {"version": "2"}})
        self.allow("*")
        self.call("POST", f"sys/auth/{self.path}", {"type": "approle"})
        self.role(**role)
        self.role_id = self.call("GET", f"auth/{self.path}/role/operator/role-id")["data"]["role_id"]
        return self

    @property
    def policy(self) -> str:
        return f"tenants-{self.mount.replace('/', '-')}"

    def role(self, **settings: Any) -> None:
        self.call("POST", f"auth/{self.path}/role/operator", {"token_policies": [self.policy], **settings})

    def allow(self, *tenants: str) -> None:
        """The role may read the secrets of these, and nothing else; `*` is all of them."""
        below = f"{self.mount}/data/{self.prefix}/" if self.prefix else f"{self.mount}/data/"
        rules = "".join(f'path "{below}{tenant}" {{ capabilities = ["read"] }}\n' for tenant in tenants)
        self.call("PUT", f"sys/policies/acl/{self.policy}", {"policy": rules})

    def secret_id(self, **settings: Any) -> str:
        made = self.call("POST", f"auth/{self.path}/role/operator/secret-id", settings or None)
        return str(made["data"]["secret_id"])

    def revoke(self, secret_id: str) -> None:
        self.call("POST", f"auth/{self.path}/role/operator/secret-id/destroy", {"secret_id": secret_id})

    def put(self, tenant: str, client_id: str, client_secret: str) -> None:
        self.write(tenant, {"client-id": client_id, "client-secret": client_secret})

    def write(self, tenant: str, values: dict[str, Any]) -> None:
        self.call("POST", f"{self.mount}/data/{self.at(tenant)}", {"data": values})

    def delete(self, tenant: str) -> None:
        """The newest version, as `kv delete` does."""
        self.call("DELETE", f"{self.mount}/data/{self.at(tenant)}")

    def destroy(self, tenant: str, *versions: int) -> None:
        self.call("PUT", f"{self.mount}/destroy/{self.at(tenant)}", {"versions": list(versions)})

    def undelete(self, tenant: str, *versions: int) -> None:
        self.call("POST", f"{self.mount}/undelete/{self.at(tenant)}", {"versions": list(versions)})

    def at(self, tenant: str) -> str:
        return f"{self.prefix}/{tenant}" if self.prefix else tenant

    def access(self, address: str = "", secret_id: str | None = None, **other: Any) -> Access:
        """How the operator gets in, by a secret_id made for it unless one is given."""
        return Access(
            address or self.bao.url,
            kv_mount=self.mount,
            kv_prefix=self.prefix,
            namespace=self.namespace,
            auth_path=self.path,
            role_id=self.role_id,
            role_secret=self.secret_id() if secret_id is None else secret_id,
            **other,
        )

    def environ(self, address: str = "", secret_id: str | None = None, **other: str) -> dict[str, str]:
        """The same as settings of the operator, without a pair to fall back to."""
        settings = {
            "VAULT_ENABLED": "true",
            "VAULT_ADDRESS": address or self.bao.url,
            "KV_MOUNT": self.mount,
            "KV_PREFIX": self.prefix,
            "ROLE_NAMESPACE": self.namespace,
            "ROLE_PATH": self.path,
            "ROLE_ID": self.role_id,
            "ROLE_SECRET": self.secret_id() if secret_id is None else secret_id,
            "CLIENT_ID": "",
            "CLIENT_SECRET": "",
        }
        return {f"ARUBA_{key}": text for key, text in {**settings, **other}.items()}
