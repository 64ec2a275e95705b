"""The settings themselves: a setting is one line of `Settings`.

Its key is the field's name with dashes, its environment variable `ARUBA_` and the name in capitals.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from datetime import timedelta
from typing import Any, NamedTuple

from hooks.settings.parsing import Parse, count, file, flag, level, one_of, path, rate, span, text, tokens, url

PREFIX = "ARUBA_"
FALLBACKS = {"role_id": "ROLE_ID", "role_secret": "ROLE_SECRET", "log_level": "LOG_LEVEL"}
"""Variables that upstream's deployments already set (behaviour §3.2)."""
ALIASES = {"secret-id": "role-secret"}
"""Upstream's documentation and its code name one key differently (behaviour §3.1)."""

_SERVICE = re.compile(r"_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$")
"""What Kubernetes puts into every container about a Service whose name begins with `aruba-`."""


def _by(parse: Parse) -> dict[str, Parse]:
    return {"parse": parse}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings with their defaults: `rate_limit` in requests a second, `body_limit` in bytes; secrets hidden."""

    api_gateway: str = field(default="https://api.arubacloud.com", metadata=_by(url))
    keycloak_url: str = field(default="https://login.aruba.it/auth", metadata=_by(url))
    realm_api: str = field(default="cmp-new-apikey", metadata=_by(path))
    client_id: str = field(default="", metadata=_by(text))
    client_secret: str = field(default="", repr=False, metadata=_by(text))
    vault_enabled: bool = field(default=False, metadata=_by(flag))
    vault_address: str = field(default="", metadata=_by(url))
    vault_auth: str = field(default="approle", metadata=_by(one_of("approle", "kubernetes", "token")))
    vault_role: str = field(default="", metadata=_by(text))
    vault_jwt_file: str = field(default="/var/run/secrets/kubernetes.io/serviceaccount/token", metadata=_by(file))
    vault_token_file: str = field(default="", metadata=_by(file))
    vault_ca_file: str = field(default="", metadata=_by(file))
    role_path: str = field(default="approle", metadata=_by(path))
    role_id: str = field(default="", repr=False, metadata=_by(text))
    role_secret: str = field(default="", repr=False, metadata=_by(text))
    kv_mount: str = field(default="kv", metadata=_by(path))
    kv_prefix: str = field(default="", metadata=_by(path))
    role_namespace: str = field(default="", metadata=_by(path))
    credentials_age: timedelta = field(default=timedelta(minutes=5), metadata=_by(span(1)))
    credentials_kept: timedelta = field(default=timedelta(hours=1), metadata=_by(span(1)))
    tenant_policy: str = field(default="any", metadata=_by(one_of("any", "namespace")))
    reference_policy: str = field(default="any", metadata=_by(one_of("any", "same-tenant", "granted")))
    mode: str = field(default="manage", metadata=_by(one_of("manage", "observe")))
    adoption_policy: str = field(default="", metadata=_by(one_of("never", "if-unowned", "always")))
    delete_policy: str = field(default="", metadata=_by(one_of("delete", "orphan")))
    on_external_delete: str = field(default="", metadata=_by(one_of("recreate", "report")))
    drift_policy: str = field(default="", metadata=_by(one_of("correct", "report")))
    suspend: str = field(default="", metadata=_by(one_of("false", "true")))
    deletion_protection: str = field(default="", metadata=_by(one_of("false", "true")))
    phase_timeout: timedelta = field(default=timedelta(minutes=10), metadata=_by(span(1)))
    propagation_window: timedelta = field(default=timedelta(minutes=1), metadata=_by(span(1)))
    listing_age: timedelta = field(default=timedelta(minutes=5), metadata=_by(span(1)))
    rate_limit: float = field(default=50.0, metadata=_by(rate))
    replicas: int = field(default=1, metadata=_by(count(1000)))
    cluster_name: str = field(default="", metadata=_by(text))
    hook_auth: str = field(default="required", metadata=_by(one_of("required", "none")))
    hook_token: tuple[str, ...] = field(default=(), repr=False, metadata=_by(tokens))
    body_limit: int = field(default=64 * 2**20, metadata=_by(count(2**40)))
    in_flight: int = field(default=200, metadata=_by(count(100_000)))
    log_level: str = field(default="info", metadata=_by(level))

    @property
    def policies(self) -> dict[str, str]:
        """The annotations whose defaults an installation sets, with their words."""
        names = ("adoption_policy", "delete_policy", "on_external_delete", "drift_policy", "suspend")
        words = {name: getattr(self, name) for name in (*names, "deletion_protection")}
        words["mode"] = "" if self.mode == "manage" else self.mode
        return {f"arubacloud.com/{_key(name)}": word for name, word in words.items() if word}

    @property
    def auth_path(self) -> str:
        """Where Vault's auth method is mounted: under its own name, unless told otherwise."""
        return self.vault_auth if self.role_path == "approle" else self.role_path

    @property
    def token_url(self) -> str:
        """Where tokens are issued (behaviour §3.1)."""
        return f"{self.keycloak_url}/realms/{self.realm_api}/protocol/openid-connect/token"

    @staticmethod
    def load(config: Mapping[str, str], secret: Mapping[str, str], environ: Mapping[str, str]) -> Loaded:
        """Read all settings from files by key and from the environment; a file wins. Pure: it opens nothing."""
        files = {ALIASES.get(key, key): raw for source in (config, secret) for key, raw in source.items()}
        values: dict[str, Any] = {}
        faults = []
        for spec in fields(Settings):
            raw, source = _find(spec.name, files, environ)
            if not raw:
                continue
            try:
                values[spec.name] = spec.metadata["parse"](raw)
            except ValueError as fault:
                faults.append(_fault(spec, raw, source, fault))
        made = Settings(**values)
        faults += _missing(made, faults)
        return Loaded(None if faults else made, tuple(faults), tuple(_unknown(files, environ)))


class Loaded(NamedTuple):
    """What a reading came to: settings when nothing is wrong, else one line for each fault."""

    settings: Settings | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...]


def _key(name: str) -> str:
    return name.replace("_", "-")


def _variable(name: str) -> str:
    return PREFIX + name.upper()


_KEYS = {_key(spec.name) for spec in fields(Settings)}
_VARIABLES = {_variable(spec.name) for spec in fields(Settings)} | {
    _variable(name.replace("-", "_")) for name in ALIASES
}


def _find(name: str, files: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, str]:
    """The raw value and where it stands; an empty one counts as unset, as an empty key of a ConfigMap does."""
    alias = next((_variable(alias.replace("-", "_")) for alias, key in ALIASES.items() if key == _key(name)), "")
    places = [(files.get(_key(name), ""), f"file {_key(name)}")]
    places += [(environ.get(var, ""), var) for var in (_variable(name), alias, FALLBACKS.get(name, "")) if var]
    return next(((raw.strip(), source) for raw, source in places if raw.strip()), ("", ""))


def _fault(spec: Field[Any], raw: str, source: str, why: ValueError) -> str:
    shown = "(hidden)" if not spec.repr else repr(raw if len(raw) <= 80 else raw[:80] + "…")
    return f"{_key(spec.name)}: {shown} ({source}): {why}"


def _missing(settings: Settings, faults: list[str]) -> Iterator[str]:
    """What must be there: something to get tokens with, since nothing stands in for it."""
    for name in _needed(settings):
        if not getattr(settings, name) and not any(fault.startswith(f"{_key(name)}:") for fault in faults):
            yield f"{_key(name)}: missing: expected {_WANTED[name]}, {_place(name)}"
    if settings.credentials_kept < settings.credentials_age:
        yield "credentials-kept: shorter than credentials-age: expected the same or more"


def _needed(settings: Settings) -> tuple[str, ...]:
    if not settings.vault_enabled:
        return ("client_id", "client_secret")
    ways = {"approle": ("role_id", "role_secret"), "kubernetes": ("vault_role",), "token": ("vault_token_file",)}
    return ("vault_address", *ways[settings.vault_auth])


_WANTED = {
    "client_id": "an API key of Aruba Cloud",
    "client_secret": "the secret of the API key",
    "vault_address": "the URL of Vault",
    "role_id": "the role_id of the AppRole",
    "role_secret": "a secret_id of the AppRole",
    "vault_role": "the role of Vault's Kubernetes auth method",
    "vault_token_file": "the file that holds Vault's token",
}


def _place(name: str) -> str:
    secret = not next(spec for spec in fields(Settings) if spec.name == name).repr or name == "client_id"
    return f"as file {_key(name)} in {'--secret-dir' if secret else '--config-dir'} or in {_variable(name)}"


def _unknown(files: Mapping[str, str], environ: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(set(files) - _KEYS):
        yield f"{key}: unknown key, ignored{_near(key, _KEYS)}"
    ours = {name for name in environ if name.startswith(PREFIX) and not _SERVICE.search(name)}
    for name in sorted(ours - _VARIABLES):
        yield f"{name}: unknown variable, ignored{_near(name, _VARIABLES)}"


def _near(word: str, words: set[str]) -> str:
    close = difflib.get_close_matches(word, words, n=1)
    return f"; did you mean {close[0]}?" if close else ""
