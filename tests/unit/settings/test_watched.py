from __future__ import annotations

import os

from hooks.settings import Watched


def write(folder, **keys):
    folder.mkdir(exist_ok=True)
    for name, text in keys.items():
        (folder / name.replace("_", "-")).write_text(text)


def make(tmp_path, **config):
    write(tmp_path / "config", **config)
    write(tmp_path / "secret", client_id="id", client_secret="one")
    return Watched(tmp_path / "config", tmp_path / "secret", {})


def test_settings_are_read_at_once(tmp_path):
    watched = make(tmp_path, log_level="debug")
    assert (watched.current.log_level, watched.current.client_secret, watched.faults) == ("debug", "one", ())


def test_nothing_is_read_while_nothing_changed(tmp_path):
    watched = make(tmp_path)
    before = watched.current
    assert watched.refresh() is False
    assert watched.current is before


def test_a_rotated_secret_is_taken_up(tmp_path):
    watched = make(tmp_path)
    write(tmp_path / "secret", client_secret="two, and longer")
    assert watched.refresh() is True
    assert watched.current.client_secret == "two, and longer"


def test_a_mounted_config_map_is_swapped_by_its_link(tmp_path):
    for version, level in (("..1", "info"), ("..2", "debug")):
        write(tmp_path / version, log_level=level)
    mount = tmp_path / "config"
    mount.mkdir()
    (mount / "..data").symlink_to(tmp_path / "..1")
    (mount / "log-level").symlink_to(mount / "..data" / "log-level")
    write(tmp_path / "secret", client_id="id", client_secret="s")
    watched = Watched(mount, tmp_path / "secret", {})
    assert (watched.current.log_level, watched.warnings) == ("info", ())
    (mount / "..new").symlink_to(tmp_path / "..2")
    os.replace(mount / "..new", mount / "..data")  # noqa: PTH105 - as the kubelet does it
    assert watched.refresh() is True
    assert watched.current.log_level == "debug"


def test_bad_values_are_reported_and_the_last_good_ones_stay(tmp_path):
    watched = make(tmp_path, rate_limit="20")
    write(tmp_path / "config", rate_limit="many", log_level="debug")
    assert watched.refresh() is False
    assert (watched.current.rate_limit, watched.current.log_level) == (20.0, "info")
    assert [line.split(":")[0] for line in watched.faults] == ["rate-limit"]
    write(tmp_path / "config", rate_limit="30/s")
    assert watched.refresh() is True
    assert (watched.current.rate_limit, watched.current.log_level, watched.faults) == (30.0, "debug", ())


def test_a_credential_that_vanishes_is_reported_and_kept(tmp_path):
    watched = make(tmp_path)
    (tmp_path / "secret" / "client-secret").unlink()
    assert watched.refresh() is False
    assert watched.current.client_secret == "one"
    assert watched.faults[0].startswith("client-secret: missing")


def test_a_bad_start_has_no_settings_until_it_is_mended(tmp_path):
    write(tmp_path / "secret", client_id="id")
    watched = Watched(None, tmp_path / "secret", {})
    assert watched.current is None
    write(tmp_path / "secret", client_secret="s")
    assert watched.refresh() is True
    assert watched.current is not None


def test_a_directory_that_is_none_and_a_file_that_is_no_text_are_faults(tmp_path):
    missing = Watched(tmp_path / "nowhere", None, {"ARUBA_CLIENT_ID": "i", "ARUBA_CLIENT_SECRET": "s"})
    assert missing.current is None
    assert missing.faults[0] == f"--config-dir: '{tmp_path}/nowhere': expected a directory with one file per key"
    watched = make(tmp_path)
    (tmp_path / "config" / "mode").write_bytes(b"\xff\xfe")
    assert watched.refresh() is False
    assert watched.faults == ("mode: unreadable (--config-dir): expected UTF-8 text: UnicodeDecodeError",)
    assert watched.current.log_level == "info"


def test_without_directories_the_environment_is_enough():
    watched = Watched(None, None, {"ARUBA_CLIENT_ID": "i", "ARUBA_CLIENT_SECRET": "s"})
    assert (watched.current.client_id, watched.refresh()) == ("i", False)
