"""Vault over the wire: one blocking call each, and what its refusals mean. The only importer of hvac.

`vaulted` calls it in worker threads. Every call makes a client of its own: requests' sessions are not made for several
threads, and a changed address or certificate counts at once. Reads are rare, so nothing is lost by that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import hvac
import requests
from hvac.exceptions import Forbidden, InvalidPath, InvalidRequest, Unauthorized, VaultError

from hooks.aruba.credentials.access import Access, Denied, Down, Lease, Missing, Refused, Unreadable
from hooks.meta.text import one_line

CALL_TIME = 5.0
"""Seconds to connect, and seconds of silence, after which Vault counts as down."""
UNTOLD_LEASE = 300.0
_OTHER = "no KV secrets engine of version 2"
_REFUSALS = (Forbidden, InvalidPath, InvalidRequest, Unauthorized)
"""What is said of a call. Anything else that is no answer to it says only that Vault cannot be used now."""


def login(access: Access) -> Lease:
    """Log in by the method that the settings name. Raises Refused or Down."""
    if access.auth == "token":
        return Lease(_file(access.token_file, "vault-token-file"), 0.0, False)
    try:
        answer = _asked(access, "", lambda client: _METHODS[access.auth](client, access))
    except _REFUSALS as refusal:
        raise Refused(f"the login at auth/{access.auth_path} is refused: {_words(refusal)}") from None
    return _lease(answer)


def renew(access: Access, lease: Lease) -> Lease | None:
    """The lease, lengthened; None where that is not possible, so that another login is due. Raises Down."""
    try:
        return _lease(_asked(access, lease.token, lambda client: client.auth.token.renew_self()))
    except VaultError:
        return None


def valid(access: Access, token: str) -> bool:
    """Whether Vault knows this token at all. Raises Down."""
    try:
        _asked(access, token, lambda client: client.auth.token.lookup_self())
    except VaultError:
        return False
    return True


def read(access: Access, token: str, tenant: str) -> tuple[str, str]:
    """Client id and secret of a tenant, from one version of its secret. Raises Denied, Missing or Down."""
    try:
        answer = _asked(access, token, lambda client: _version(client, access, tenant))
    except Forbidden:
        raise Denied(f"no permission to read {access.place(tenant)}") from None
    except (InvalidPath, InvalidRequest, Unauthorized) as refusal:
        raise Missing(_absent(access, tenant, refusal)) from None
    held = answer.get("data")
    values = held.get("data") if isinstance(held, Mapping) else None
    if not isinstance(values, Mapping):
        raise Missing(_ended(access, tenant, held) or f"{access.place(tenant)}: kv-mount is {_OTHER}")
    lacking = [key for key in ("client-id", "client-secret") if not _text(values, key)]
    if lacking:
        raise Missing(f"the secret {access.place(tenant)} lacks {' and '.join(lacking)}")
    return _text(values, "client-id"), _text(values, "client-secret")


def _version(client: hvac.Client, access: Access, tenant: str) -> Any:
    below, mount = access.below(tenant), access.kv_mount
    return client.secrets.kv.v2.read_secret_version(below, mount_point=mount, raise_on_deleted_version=False)


def _approle(client: hvac.Client, access: Access) -> Any:
    return client.auth.approle.login(
        access.role_id, access.role_secret or None, use_token=False, mount_point=access.auth_path
    )


def _kubernetes(client: hvac.Client, access: Access) -> Any:
    jwt = _file(access.jwt_file, "vault-jwt-file")
    return client.auth.kubernetes.login(access.role, jwt, use_token=False, mount_point=access.auth_path)


_METHODS: Mapping[str, Callable[[hvac.Client, Access], Any]] = {"approle": _approle, "kubernetes": _kubernetes}


def _asked(access: Access, token: str, call: Callable[[hvac.Client], Any]) -> Mapping[str, Any]:
    """One call. An empty token keeps hvac from taking one out of the environment or of the home directory."""
    with closing(requests.Session()) as session:
        session.trust_env = False
        session.verify = access.ca_file or True
        try:
            client = hvac.Client(
                access.address,
                token=token,
                namespace=access.namespace or None,
                verify=session.verify,
                timeout=CALL_TIME,
                allow_redirects=False,
                session=session,
            )
            answer = call(client)
        except VaultError as fault:
            if isinstance(fault, _REFUSALS) and _spoken(fault.json):
                raise
            raise Down(_words(fault)) from None
        except requests.RequestException as fault:
            raise Down(_unanswered(fault)) from None
        except (OSError, ValueError) as fault:  # a CA file that is none; an answer that is no JSON
            key = "vault-ca-file: " if access.ca_file and isinstance(fault, OSError) else ""
            raise Down(f"{key}{type(fault).__name__}: {one_line(str(fault))}") from None
    if not isinstance(answer, Mapping) or "request_id" not in answer:
        told = f"answers {answer.status_code}" if isinstance(answer, requests.Response) else "answers"
        raise Down(f"what {told} there is not Vault: check vault-address")
    return answer


def _spoken(body: Any) -> bool:
    """Whether a refusal is Vault's own: a proxy's page must not end what was read before."""
    return isinstance(body, Mapping) and ("errors" in body or "request_id" in body)


def _lease(answer: Mapping[str, Any]) -> Lease:
    auth = answer.get("auth")
    token = auth.get("client_token") if isinstance(auth, Mapping) else None
    if not isinstance(auth, Mapping) or not isinstance(token, str) or not token:
        raise Down("the answer to a login holds no token")
    seconds = auth.get("lease_duration")
    told = float(seconds) if isinstance(seconds, int | float) else UNTOLD_LEASE
    return Lease(token, told, bool(auth.get("renewable")))


def _absent(access: Access, tenant: str, refusal: VaultError) -> str:
    if "no handler for route" in str(refusal):
        return f"kv-mount: no secrets engine is mounted at {access.kv_mount}"
    told = refusal.json.get("data") if isinstance(refusal.json, Mapping) else None
    return _ended(access, tenant, told) or f"there is no secret {access.place(tenant)}, or kv-mount is {_OTHER}"


def _ended(access: Access, tenant: str, told: Any) -> str:
    """What became of the latest version, where that is why there is none."""
    about = told.get("metadata") if isinstance(told, Mapping) else None
    if not isinstance(about, Mapping):
        return ""
    how = "destroyed" if about.get("destroyed") else "deleted" if about.get("deletion_time") else ""
    return f"the latest version of {access.place(tenant)} is {how}" if how else ""


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value.strip() if isinstance(value, str) else ""


def _file(path: str, key: str) -> str:
    try:
        text = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise Unreadable(f"{key}: {path} cannot be read: {type(fault).__name__}") from None
    if not text:
        raise Unreadable(f"{key}: {path} is empty")
    return text


def _words(fault: VaultError) -> str:
    """Vault's own words, without the URL that hvac adds; they never hold what was sent."""
    errors = [str(error) for error in fault.errors or ()]
    return one_line("; ".join(errors)) or one_line(str(fault.text or "")) or type(fault).__name__


def _unanswered(fault: requests.RequestException) -> str:
    if isinstance(fault, requests.exceptions.SSLError):
        return f"its certificate is not accepted (vault-ca-file): {one_line(str(fault))}"
    if isinstance(fault, requests.exceptions.Timeout):
        return "no answer in time"
    return "no connection" if isinstance(fault, requests.exceptions.ConnectionError) else type(fault).__name__
