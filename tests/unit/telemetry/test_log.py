from __future__ import annotations

import asyncio
import io
import json
import logging
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hooks.telemetry.log import HIDDEN, LONGEST, about, adopt, logger


def make(level="info"):
    out = io.StringIO()
    rome = timezone(timedelta(hours=2))
    log = logger(out, level, lambda: datetime(2026, 7, 1, 10, 0, 0, 250_000, tzinfo=rome))
    return log, lambda: [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_has_upstreams_names_and_utc():
    log, lines = make()
    log.warning("phase transition", fromPhase="Creating", toPhase="Active")
    assert lines() == [
        {
            "timestamp": "2026-07-01T08:00:00.250Z",
            "level": "WARN",
            "message": "phase transition",
            "fromPhase": "Creating",
            "toPhase": "Active",
        }
    ]


@pytest.mark.parametrize(("level", "count"), [("trace", 4), ("debug", 4), ("info", 3), ("warn", 2), ("error", 1)])
def test_levels(level, count):
    log, lines = make(level)
    for say in (log.debug, log.info, log.warning, log.error):
        say("x")
    assert len(lines()) == count


def test_hostile_text_stays_in_its_field():
    log, lines = make()
    log.info("x", text='a\n{"level": "ERROR", "message": "fake"}\x1b[31m %s {}', big="é" * 100_000)
    (line,) = lines()
    assert line["text"].startswith('a\n{"level"')
    assert len(line["big"]) == LONGEST + 1


@pytest.mark.parametrize(
    "key",
    ["token", "access_token", "Authorization", "client_secret", "client-secret", "secret-id", "role_secret", "password",
     "X-Vault-Token", "Set-Cookie", "private_key"],
)  # fmt: skip
def test_what_is_named_like_a_secret_is_hidden_at_any_depth(key):
    log, lines = make()
    log.info("x", **{key: "s3cr3t"}, nested={"a": [{key: "s3cr3t"}]})
    assert lines()[0][key] == HIDDEN
    assert "s3cr3t" not in json.dumps(lines())


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer s3cr3t.x-y_z",
        "grant_type=client_credentials&client_secret=s3cr3t&client_id=a",
        '{"access_token": "s3cr3t", "expires_in": 300}',
        "{'secret_id': 's3cr3t'}",
        "of nothing but eyJhbGciOiJub25lIn0.eyJzM2NyM3QiOjF9.s3cr3t in a list",
        "('hvs.canary-s3cr3t-s3cr3t-s3cr3t',)",
    ],
)
def test_what_looks_like_a_secret_inside_a_text_is_hidden(text):
    log, lines = make()
    log.info("x", body=text)
    log.error("y", exc_info=ValueError(text))
    assert "s3cr3t" not in json.dumps(lines())
    assert lines()[0]["body"] != HIDDEN


@pytest.mark.parametrize("key", ["tokens", "secretName", "collection", "client_id", "tenant"])
def test_what_is_no_secret_is_shown(key):
    log, lines = make()
    log.info("x", **{key: "plain"})
    assert lines()[0][key] == "plain"


async def test_a_task_keeps_the_names_of_its_own_pass():
    log, lines = make()

    async def one(name):
        with about(name=name, namespace=None):
            await asyncio.sleep(1)
            log.info("call")
        log.info("after")

    await asyncio.gather(one("a"), one("b"))
    assert [(line["message"], line.get("name")) for line in lines()] == [
        ("call", "a"), ("after", None), ("call", "b"), ("after", None),
    ]  # fmt: skip
    assert all("namespace" not in line for line in lines())


def test_libraries_write_through_us():
    log, lines = make()
    theirs = logging.getLogger("test_libraries_write_through_us")
    adopt(log, [theirs.name])
    theirs.info("started")
    theirs.error("broke %s", "x")
    assert [(line["message"], line["logger"], line["level"]) for line in lines()] == [("broke x", theirs.name, "ERROR")]


def test_an_exception_carries_its_traceback():
    log, lines = make()
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError:
        log.exception("broke")
    assert "ZeroDivisionError" in lines()[0]["exception"]
    assert datetime.fromisoformat(lines()[0]["timestamp"]).tzinfo == UTC


def test_a_log_that_nobody_reads_any_more_fails_nothing():
    gone = io.StringIO()
    log = logger(gone, "info", lambda: datetime(2026, 7, 1, tzinfo=UTC))
    gone.close()
    log.info("a line for nobody")
