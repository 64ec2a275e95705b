"""Settings of a running process, as files change under it: a mounted ConfigMap is updated in place.

`cli` makes it, `stack` asks it now and then.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hooks.settings.values import Settings


class Watched:
    """Reads again when a file changed, and keeps the last good settings (interfaces, "Settings")."""

    def __init__(self, config_dir: Path | None, secret_dir: Path | None, environ: Mapping[str, str]) -> None:
        self._dirs = {"--config-dir": config_dir, "--secret-dir": secret_dir}
        self._environ = dict(environ)
        self._stamp: object = None
        self.current: Settings | None = None
        """The last good ones; None until there are any."""
        self.faults: tuple[str, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.refresh()

    def refresh(self) -> bool:
        """Read again if any file is not what it was; True when `current` changed."""
        stamp = tuple(_stamp(directory) for directory in self._dirs.values())
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        before = self.current
        config, secret = (_read(flag, directory) for flag, directory in self._dirs.items())
        loaded = Settings.load(config.texts, secret.texts, self._environ)
        self.faults, self.warnings = config.faults + secret.faults + loaded.faults, loaded.warnings
        if not self.faults and loaded.settings is not None:
            self.current = loaded.settings
        return self.current != before


class _Files(NamedTuple):
    texts: dict[str, str]
    faults: tuple[str, ...]


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    """The keys of a mounted ConfigMap or Secret; the kubelet's own links begin with two dots."""
    with os.scandir(directory) as found:
        return sorted((one for one in found if one.name[0] != "." and one.is_file()), key=lambda one: one.name)


def _stamp(directory: Path | None) -> object:
    """Taken at every use of a setting, several times a pass: so by one scan, without a `Path` for each file."""
    try:
        stats = [(one.name, one.stat()) for one in _entries(directory)] if directory else []
    except OSError as fault:
        return str(fault)
    return tuple((name, stat.st_mtime_ns, stat.st_ino, stat.st_size) for name, stat in stats)


def _read(flag: str, directory: Path | None) -> _Files:
    if directory is None:
        return _Files({}, ())
    if not directory.is_dir():
        return _Files({}, (f"{flag}: '{directory}': expected a directory with one file per key",))
    texts, faults = {}, []
    for one in _entries(directory):
        try:
            texts[one.name] = Path(one.path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            faults.append(f"{one.name}: unreadable ({flag}): expected UTF-8 text: {type(fault).__name__}")
    return _Files(texts, tuple(faults))
