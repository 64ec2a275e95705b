"""The recorded error bodies: each has its class, and its words reach the user as they are (api §5.3, §5.5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooks.aruba.cloud.errors import classify
from hooks.aruba.model.failure import Cause, Failure

Object = dict[str, Any]
PROBLEM = {"content-type": "application/problem+json"}
TRACE = "00-86dd2c3651e19162ea8007a9c961c43a-a89dcb232bcfacd4-00"
MANY = "One or more validation errors occurred."
RFC = "https://tools.ietf.org/html/rfc9110#section-15.5"


def told(body: Object, status: int = 0) -> Failure:
    return classify(status or body["status"], PROBLEM, json.dumps(body).encode())


def invalid(errors: Any, title: str = MANY) -> Object:
    """The whole body as the documentation gives it, with these errors."""
    return {
        "type": f"{RFC}.1",
        "title": title,
        "status": 400,
        "instance": "projects/P/providers/Aruba.Network/vpcs",
        "traceId": TRACE,
        "errors": errors,
    }


def refused(detail: str) -> Object:
    """The body of a refusal without errors."""
    kind = "https://httpstatuses.io/400"
    return {"type": kind, "title": "Bad Request", "status": 400, "detail": detail, "traceId": TRACE}


REGION = "Name: Location Value: string not found."
SHAPES = {
    "1": ([{"field": "Name", "message": "Location Value: string not found."}], Cause.SEMANTIC, REGION),
    "2": ([{"fieldName": "Status", "errorMessage": "Invalid status"}], Cause.NOT_READY, "Status: Invalid status"),
    "3": (
        [{"propertyName": "CronExpression", "errorMessage": "invalid cron format"}],
        Cause.SEMANTIC,
        "CronExpression: invalid cron format",
    ),
    "4": ({"Tag": ["length must be at least 4"]}, Cause.SEMANTIC, "Tag: length must be at least 4"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_four_shapes_of_errors_as_they_were_recorded(shape: str) -> None:
    errors, cause, line = SHAPES[shape]
    assert told(invalid(errors)) == Failure(
        cause,
        f"{MANY}: Validation: {line} (HTTP 400, trace {TRACE})",
        status=400,
        title=MANY,
        detail=f"Validation: {line}",
        trace=TRACE,
        sent=False,
    )


EXAMPLES = {
    "404": (
        {"type": f"{RFC}.5", "title": "Not Found", "status": 404, "traceId": "00-...-00"},
        Cause.GONE,
        "Not Found (HTTP 404, trace 00-...-00)",
        False,
    ),
    "403": (
        {
            "type": f"{RFC}.4",
            "title": "Forbidden",
            "status": 403,
            "detail": "User is not authorized to perform the operation on the resource.",
        },
        Cause.FORBIDDEN,
        "Forbidden: User is not authorized to perform the operation on the resource. (HTTP 403)",
        False,
    ),
    "500": (
        {"title": "Internal Server Error", "status": 500, "traceId": TRACE},
        Cause.TECHNICAL,
        f"Internal Server Error (HTTP 500, trace {TRACE})",
        True,
    ),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_other_codes(example: str) -> None:
    body, cause, text, sent = EXAMPLES[example]
    failure = told(body)
    assert (failure.cause, failure.text, failure.sent) == (cause, text, sent)
    assert (failure.title, failure.detail) == (body["title"], body.get("detail", ""))


def test_a_gateway_without_a_body_gets_a_title() -> None:
    failure = classify(502, {}, b"")
    assert (failure.cause, failure.title, failure.text) == (
        Cause.TECHNICAL,
        "Unknown API error",
        "Unknown API error (HTTP 502)",
    )


BARE = (
    "project can't be deleted due to the presence of resources",
    "subnet not in valid status",
    "used by another resource",
    "cannot delete default VPC",
    "Location Invalid",
    "subnet.cidr overlaps with an existing subnet",
    "DataCenter cannot be modified",
    "Product not found in catalog",
    "Specified Database name is not found",
)
"""Messages that were met without it being told in which shape; a refusal without `errors` is tried again."""


@pytest.mark.parametrize("message", BARE)
def test_messages_met_without_errors_pass_by_themselves(message: str) -> None:
    failure = told(refused(message))
    assert (failure.cause, failure.title, failure.detail) == (Cause.NOT_READY, "Bad Request", message)
    assert failure.text == f"Bad Request: {message} (HTTP 400, trace {TRACE})"
    assert not failure.sent


@pytest.mark.parametrize("message", BARE)
def test_the_same_words_about_a_field_stand_until_the_spec_is_changed(message: str) -> None:
    failure = told(invalid([{"field": "Thing", "message": message}]))
    assert (failure.cause, failure.detail) == (Cause.SEMANTIC, f"Validation: Thing: {message}")


FIELDS = (
    ("Status", "Invalid status", Cause.NOT_READY),
    ("Tag", "length must be at least 4", Cause.SEMANTIC),
    ("Name", "Location Value: string not found.", Cause.SEMANTIC),
)
KEYS = (
    ("field", "message"),
    ("fieldName", "errorMessage"),
    ("propertyName", "errorMessage"),
    ("name", "error"),
    ("Name", "Description"),
)


@pytest.mark.parametrize(("field", "message", "cause"), FIELDS)
def test_messages_met_about_a_field_mean_the_same_in_every_shape(field: str, message: str, cause: Cause) -> None:
    shapes: list[Any] = [[{one: field, other: message}] for one, other in KEYS]
    failures = [told(invalid(errors)) for errors in [*shapes, {field: [message]}, {field: message}]]
    assert {(failure.cause, failure.detail) for failure in failures} == {(cause, f"Validation: {field}: {message}")}


def test_a_state_beside_another_fault_does_not_excuse_it() -> None:
    both = [{"fieldName": name, "errorMessage": message} for name, message, _ in FIELDS[:2]]
    failure = told(invalid(both))
    assert failure.cause is Cause.SEMANTIC
    assert failure.detail == "Validation: Status: Invalid status; Tag: length must be at least 4"


@pytest.mark.parametrize("status", [401, 403, 404, 405, 409, 422, 429, 500, 503])
def test_the_code_of_the_answer_counts_and_its_words_are_kept(status: int) -> None:
    """The document says 400, as where a gateway has put another code on it."""
    failure = told(invalid(SHAPES["1"][0]), status)
    expected = {
        401: Cause.CREDENTIALS,
        403: Cause.FORBIDDEN,
        404: Cause.GONE,
        405: Cause.SEMANTIC,
        409: Cause.CONFLICT,
        422: Cause.SEMANTIC,
        429: Cause.THROTTLED,
        500: Cause.TECHNICAL,
        503: Cause.TECHNICAL,
    }
    assert (failure.cause, failure.status) == (expected[status], status)
    assert failure.text == f"{MANY}: Validation: {REGION} (HTTP {status}, trace {TRACE})"
