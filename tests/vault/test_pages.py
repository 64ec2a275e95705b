"""What the pages on Vault tell people to type, typed against a real server: every block of `sh`, in order."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest
import trustme
import yaml

from hooks.aruba.credentials import vault
from hooks.aruba.credentials.credential import Credential
from hooks.settings import Settings
from hooks.stack.sources import sources
from tests.vault.ahead import Ahead
from tests.vault.bao import BAO, Bao

PAGES = Path(__file__).parent.parent.parent / "docs" / "how-to"
HOOKS = PAGES.parent.parent / "hooks"


def blocks(page: str, language: str) -> list[str]:
    text = (PAGES / page).read_text()
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for block in found]


class Desk:
    """A directory in which an administrator types."""

    def __init__(self, bao: Bao, folder: Path) -> None:
        self.folder = folder
        self._env = {"PATH": f"{BAO.parent}:{os.environ['PATH']}", "HOME": str(folder)}
        self._env |= {"BAO_ADDR": bao.url, "BAO_TOKEN": bao.token}
        (folder / "client-secret").write_text("secret-one\n")
        (folder / "client-secret.new").write_text("secret-two\n")
        (folder / "ca.crt").write_bytes(trustme.CA().cert_pem.bytes())

    def type(self, page: str) -> None:
        for block in blocks(page, "sh"):
            words = ["bash", "-euo", "pipefail", "-c", block]
            done = subprocess.run(words, cwd=self.folder, env=self._env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{page}:\n{block}\n{done.stderr}"

    def read(self, file: str) -> str:
        return (self.folder / file).read_text()


def settings(bao: Bao, **secret: str) -> Settings:
    """Those of the page's ConfigMap, with the address of this server."""
    objects = [yaml.safe_load(text) for text in blocks("vault.md", "yaml")]
    [config] = [item["data"] for item in objects if item["kind"] == "ConfigMap"]
    named = {key.replace("_", "-"): text for key, text in secret.items()}
    loaded = Settings.load({**config, "vault-address": bao.url}, named, {})
    assert loaded.settings is not None, loaded.faults
    assert loaded.warnings == ()
    return loaded.settings


@pytest.mark.real_time
async def test_from_nothing_to_a_tenant_and_through_a_rotation(own: Bao, tmp_path: Path) -> None:
    desk = Desk(own, tmp_path)
    desk.type("vault.md")
    role, first = desk.read("role-id"), desk.read("role-secret")
    now = settings(own, role_id=role, role_secret=first)
    source = sources(lambda: now, clock := Ahead())
    assert await source.credential("ARU-000001") == Credential("cmp-5a1b7c", "secret-one")
    other = settings(own, vault_auth="token", vault_token_file=str(tmp_path / "token"))
    by_file = sources(lambda: other, Ahead())
    assert await by_file.credential("ARU-000001") == Credential("cmp-5a1b7c", "secret-one")
    desk.type("rotate-credentials.md")
    own.call("GET", "kv/data/aruba/ARU-000001?version=2")
    now = settings(own, role_id=role, role_secret=desk.read("role-secret.new"))
    clock.off = 301
    found = await source.credential("ARU-000001")
    assert isinstance(found, Credential)
    fresh = sources(lambda: now, Ahead())
    assert await fresh.credential("ARU-000001") == Credential("cmp-5a1b7c", "secret-one")  # rolled back at the end
    told: list[str] = []
    old = settings(own, role_id=role, role_secret=first)
    ended = sources(lambda: old, Ahead(), told=lambda outcome, text: told.append(text))
    await ended.credential("ARU-000001")
    assert "the login at auth/approle is refused: invalid role or secret ID" in told[0]


def test_the_policy_of_the_page_reads_and_does_nothing_else(own: Bao, tmp_path: Path) -> None:
    desk = Desk(own, tmp_path)
    desk.type("vault.md")
    token = desk.read("token").strip()
    assert own.asked("GET", "kv/data/aruba/ARU-000001", token=token).status_code == 200
    for method, path in [
        ("LIST", "kv/metadata/aruba"),
        ("GET", "kv/metadata/aruba/ARU-000001"),
        ("POST", "kv/data/aruba/ARU-000001"),
        ("DELETE", "kv/data/aruba/ARU-000001"),
        ("GET", "kv/data/other"),
        ("GET", "sys/mounts"),
    ]:
        assert own.asked(method, path, {}, token=token).status_code == 403, path


def test_every_message_of_the_table_is_one_that_is_said() -> None:
    """Each piece between the dots stands in the code, or is Vault's own."""
    rooms = (HOOKS / "aruba" / room for room in ("credentials", "cloud"))
    code = "".join(path.read_text() for room in rooms for path in room.glob("*.py"))
    code = code.replace("{_OTHER}", vault._OTHER).replace("{how}", "deleted")
    vaults = ("Vault is sealed", "invalid role or secret ID")
    table = (PAGES / "vault.md").read_text().split("| The message says |")[1].split("\n\n")[0]
    firsts = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    said = [message for first in firsts for message in re.findall(r"`(.+?)`", first)]
    assert len(said) > 12
    for piece in (piece for message in said for piece in message.split("…")):
        words = piece.removeprefix("cannot be used: ")
        for own in vaults:
            words = words.replace(own, "")
        assert words.strip(" :") in code, piece
