"""The log: one JSON line an event on stderr, one event a pass, and never a secret in it.

`cli` makes one logger and hands it down; field names are upstream's where it has them (behaviour §3.3). What
`about` binds is carried by every line that the same task writes, so a line of the cloud client says whose pass it is.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from typing import Any, TextIO, cast

import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor

Log = FilteringBoundLogger

LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
}
LONGEST = 16_384
"""Characters of one field; a traceback fits, a page of HTML from the other side is cut."""
HIDDEN = "(hidden)"

_SECRET_KEY = re.compile(
    r"^(.*[_-])?(authorization|cookie|password|token|secret|secret[_-]?id|client[_-]?secret|role[_-]?secret"
    r"|private[_-]?key|access[_-]?key)$",
    re.IGNORECASE,
)
_SECRET_TEXT = re.compile(
    r"(?i)(bearer\s+|(?:client_secret|secret_id|access_token|refresh_token|password)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;}]+"
)
_TOKEN = re.compile(r"\beyJ[\w-]{8,}(?:\.[\w-]*){1,4}|\b(?:hv[sbr]|s)\.[A-Za-z0-9_-]{20,}")
"""What can only be a token: a JWT, one of Vault's."""


def logger(stream: TextIO, level: str, now: Callable[[], datetime]) -> Log:
    """A logger that writes JSON lines to `stream`, stamped by `now`; `level` is a key of `LEVELS`."""
    processors: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.ExceptionRenderer(),
        structlog.processors.EventRenamer("message"),
        redact,
        _stamp(now),
        structlog.processors.JSONRenderer(serializer=json.dumps, ensure_ascii=False, default=str),
    ]
    made = structlog.wrap_logger(
        structlog.WriteLogger(cast(TextIO, _Careful(stream))),
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        context_class=dict,
        cache_logger_on_first_use=True,
    )
    return cast("Log", made)


def about(**names: Any) -> AbstractContextManager[None]:
    """Carry these fields on every line that the current task writes inside the `with` block."""
    return structlog.contextvars.bound_contextvars(**{key: value for key, value in names.items() if value is not None})


def _stamp(now: Callable[[], datetime]) -> Processor:
    def stamp(_logger: Any, _method: str, event: EventDict) -> EventDict:
        at = now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        level = str(event.pop("level", "info")).upper().replace("WARNING", "WARN")
        return {"timestamp": at, "level": level, "message": event.pop("message", ""), **event}

    return stamp


def redact(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Blank what is named like a secret, and what looks like one inside a text."""
    return {key: _clean(key, value, 0) for key, value in event.items()}


def _clean(key: str, value: Any, depth: int) -> Any:
    if _SECRET_KEY.match(key) and value not in (None, "", True, False):
        return HIDDEN
    if isinstance(value, str):
        text = value if len(value) <= LONGEST else value[:LONGEST] + "…"
        return _TOKEN.sub(HIDDEN, _SECRET_TEXT.sub(rf"\1{HIDDEN}", text))
    if isinstance(value, dict) and depth < 8:
        return {str(name): _clean(str(name), item, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and depth < 8:
        return [_clean(key, item, depth + 1) for item in value]
    return value


class _Forward(logging.Handler):
    """Brings what libraries log to the standard library's loggers into our lines."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.log(
            min(record.levelno, logging.ERROR),
            record.getMessage(),
            logger=record.name,
            exc_info=record.exc_info or None,
        )


def adopt(log: Log, names: Iterable[str] = ("uvicorn", "asyncio")) -> None:
    """Let these standard loggers write through `log`, and nowhere else."""
    for name in names:
        theirs = logging.getLogger(name)
        theirs.handlers = [_Forward(log)]
        theirs.setLevel(logging.WARNING)
        theirs.propagate = False


class _Careful:
    """A stream whose reader may be gone: a line that cannot be written must not fail the pass that it tells of."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()
