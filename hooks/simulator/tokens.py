"""The identity provider beside the cloud: a token endpoint shaped like Keycloak's (api §2.1), and who a token is.

The app mounts the endpoint for every realm; the API room asks whose token a request carries.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote_plus

from hooks.simulator.ids import Ids

DEFAULT_LIFETIME = 3600.0
DEFAULT_CLIENTS: Mapping[str, str] = MappingProxyType({"aruba-local": "aruba-local-secret"})
_BAD_CLIENT = "Invalid client or Invalid client credentials"


class Denied(Exception):
    """No token: an OAuth error answer."""

    def __init__(self, status: int, error: str, description: str) -> None:
        super().__init__(description)
        self.status = status
        self.body = {"error": error, "error_description": description}


@dataclass(frozen=True)
class _Token:
    client: str
    expires: datetime


class Tokens:
    """Known clients with their secrets, and the tokens given out to them."""

    def __init__(self, clients: Mapping[str, str], ids: Ids) -> None:
        self.clients = dict(clients)
        self.lifetime = DEFAULT_LIFETIME
        self._ids = ids
        self._tokens: dict[str, _Token] = {}

    def grant(self, authorization: str, form: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        """A token for the client that names itself by Basic or by form; raises Denied."""
        grant = form.get("grant_type")
        if grant is None:
            raise Denied(400, "invalid_request", "Missing form parameter: grant_type")
        if grant != "client_credentials":
            raise Denied(400, "unsupported_grant_type", "Unsupported grant_type")
        client, secret = requester(authorization, form)
        if client not in self.clients:
            raise Denied(401, "invalid_client", _BAD_CLIENT)
        if self.clients[client] != secret:
            raise Denied(401, "unauthorized_client", _BAD_CLIENT)
        return self._issue(client, now)

    def owner(self, authorization: str, now: datetime) -> str | None:
        """The client whose valid token this header carries."""
        token = self._token(authorization)
        return token.client if token and token.expires > now else None

    def known(self, authorization: str) -> str | None:
        """The client whose token this is or was."""
        token = self._token(authorization)
        return token.client if token else None

    def revoke(self, client: str) -> int:
        """Forget the tokens of one client, or of `all`; returns how many."""
        gone = [text for text, token in self._tokens.items() if client in ("all", token.client)]
        for text in gone:
            del self._tokens[text]
        return len(gone)

    def _token(self, authorization: str) -> _Token | None:
        scheme, _, text = authorization.partition(" ")
        return self._tokens.get(text.strip()) if scheme.lower() == "bearer" else None

    def _issue(self, client: str, now: datetime) -> dict[str, Any]:
        expires = now + timedelta(seconds=self.lifetime)
        claims = {"azp": client, "exp": int(expires.timestamp()), "iat": int(now.timestamp()), "jti": self._ids.hex(32)}
        text = ".".join(
            (_part({"alg": "RS256", "typ": "JWT"}), _part(claims), _base64(bytes.fromhex(self._ids.hex(64))))
        )
        self._tokens[text] = _Token(client, expires)
        return {
            "access_token": text,
            "expires_in": max(int(self.lifetime), 0),
            "refresh_expires_in": 0,
            "token_type": "Bearer",
            "not-before-policy": 0,
            "scope": "profile email",
        }


def requester(authorization: str, form: Mapping[str, Any]) -> tuple[str, str]:
    """Client id and secret as given by HTTP Basic (whose parts are URL-encoded) or by the form."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return str(form.get("client_id", "")), str(form.get("client_secret", ""))
    try:
        client, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return unquote_plus(client), unquote_plus(secret)


def _part(value: Mapping[str, Any]) -> str:
    return _base64(json.dumps(value).encode())


def _base64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
