"""Every shape of answer has one class and one clean line (api §5.3, §5.5)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.aruba.cloud.errors import classify, unanswered
from hooks.aruba.model.failure import Cause
from hooks.http import ConnectError, ConnectTimeout, PoolTimeout, ReadError, ReadTimeout, RemoteProtocolError
from tests.world.time import EPOCH

JSON = {"Content-Type": "application/json"}
PROBLEM = {"content-type": "application/problem+json; charset=utf-8"}
HTML = {"content-type": "text/html"}
TRACE = "00-86dd2c3651e19162ea8007a9c961c43a-a89dcb232bcfacd4-00"


def told(status, body=None, headers=None):
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return classify(status, PROBLEM if headers is None else headers, content)


def errors(*entries):
    return {"title": "One or more validation errors occurred.", "status": 400, "errors": list(entries)}


BAD_NAME = {"field": "Name", "message": "Location Value: string not found."}
CASE_7 = [
    (400, {"title": "Vpc.Read.InvalidStatus", "detail": "Vpc is in state InCreation"}, Cause.NOT_READY),
    (400, errors({"fieldName": "Status", "errorMessage": "Invalid status: Updating"}), Cause.NOT_READY),
    (400, errors({"field": "status", "message": "Invalid status"}), Cause.NOT_READY),
    (400, errors({"propertyName": "Status", "errorMessage": "Invalid status"}), Cause.NOT_READY),
    (400, {"title": "Bad Request", "errors": {"Status": ["Invalid status"]}}, Cause.NOT_READY),
    (400, errors(BAD_NAME), Cause.SEMANTIC),
    (400, errors({"fieldName": "Status", "errorMessage": "Invalid status"}, BAD_NAME), Cause.SEMANTIC),
    (400, {"title": "Bad Request", "errors": {"Tag": ["length must be at least 4"]}}, Cause.SEMANTIC),
    (400, errors({}), Cause.SEMANTIC),
    (400, {"title": "Bad Request", "detail": "BootVolume in use", "errors": []}, Cause.NOT_READY),
    (400, None, Cause.NOT_READY),
    (401, None, Cause.CREDENTIALS),
    (403, {"title": "Forbidden"}, Cause.FORBIDDEN),
    (404, {"title": "Not Found", "status": 404}, Cause.GONE),
    (404, {}, Cause.GONE),
    (404, None, Cause.GONE),
    (405, None, Cause.SEMANTIC),
    (408, None, Cause.TECHNICAL),
    (409, {"title": "Conflict", "errors": [BAD_NAME]}, Cause.CONFLICT),
    (413, None, Cause.SEMANTIC),
    (422, None, Cause.SEMANTIC),
    (422, errors(BAD_NAME), Cause.SEMANTIC),
    (425, None, Cause.TECHNICAL),
    (429, None, Cause.THROTTLED),
    (418, None, Cause.TRANSIENT),
    (500, errors(BAD_NAME), Cause.TECHNICAL),
    (502, None, Cause.TECHNICAL),
    (302, None, Cause.TECHNICAL),
]


@pytest.mark.parametrize(("status", "body", "cause"), CASE_7)
def test_case_7_one_code_two_meanings(status, body, cause):
    failure = told(status, body)
    assert failure.cause is cause
    assert failure.status == status


def test_case_7_html_400_is_no_verdict_on_the_request():
    assert told(400, b"<html><body>Bad gateway rule</body></html>", HTML).cause is Cause.NOT_READY


@pytest.mark.parametrize(
    ("body", "headers", "cause"),
    [
        (b"<html><h1>404 Not Found</h1></html>", HTML, Cause.TECHNICAL),
        (b"", HTML, Cause.TECHNICAL),
        (b"404 page not found", {"content-type": "text/plain"}, Cause.TECHNICAL),
        (b'{"message": "no Route matched with those values"}', JSON, Cause.TECHNICAL),
        (b'{"title": "Not Found"}', {"content-type": "text/plain"}, Cause.GONE),
        (b'{"title": "Not Found"}', JSON, Cause.GONE),
        (b"[]", JSON, Cause.TECHNICAL),
        (b"", {}, Cause.GONE),
    ],
)
def test_case_14_only_the_api_itself_says_gone(body, headers, cause):
    assert told(404, body, headers).cause is cause


@pytest.mark.parametrize(
    ("status", "sent"), [(400, False), (401, False), (404, False), (429, False), (408, True), (500, True), (302, True)]
)
def test_only_a_4xx_other_than_408_proves_that_nothing_was_accepted(status, sent):
    assert told(status).sent is sent


SHAPES = [
    ([{"field": "Name", "message": "too short"}], "Name: too short"),
    ([{"fieldName": "Name", "errorMessage": "too short"}], "Name: too short"),
    ([{"propertyName": "Name", "errorMessage": "too short"}], "Name: too short"),
    ([{"NAME": "Name", "Description": "too short"}], "Name: too short"),
    ({"Name": ["too short", "too plain"]}, "Name: too short; Name: too plain"),
    ({"Name": "too short"}, "Name: too short"),
    ({"name": ["too short"]}, "name: too short"),
    ({"Network": {"Address": ["too short"]}}, "Network.Address: too short"),
    ({"Name": [{"message": "too short"}]}, "Name: too short"),
    ([{"field": "Name"}], "Name: invalid"),
    ([{"message": "too short"}], "too short"),
    (["too short"], "too short"),
    ("too short", "too short"),
    ([{"code": 17}], "code: 17"),
    ([{}], "invalid"),
    ([[[[[[[["too deep"]]]]]]]], "[['too deep']]"),
]


@pytest.mark.parametrize(("raw", "line"), SHAPES)
def test_case_35_every_shape_of_errors_reaches_the_user(raw, line):
    failure = told(400, {"title": "Bad Request", "detail": "look", "errors": raw, "traceId": TRACE})
    assert failure.detail == f"look | Validation: {line}"
    assert failure.text == f"Bad Request: look | Validation: {line} (HTTP 400, trace {TRACE})"
    assert told(400, {"title": "Bad Request", "errors": raw}).detail == f"Validation: {line}"


def test_case_35_nested_in_another_object():
    body = {"error": {"title": "Bad Request", "errors": [BAD_NAME], "traceId": TRACE}}
    failure = told(400, body)
    assert (failure.cause, failure.title, failure.trace) == (Cause.SEMANTIC, "Bad Request", TRACE)
    assert failure.detail == "Validation: Name: Location Value: string not found."


def test_case_35_the_http_code_wins_over_the_one_in_the_body():
    failure = told(503, {"title": "Bad Request", "status": 400, "errors": [BAD_NAME]})
    assert (failure.cause, failure.status) == (Cause.TECHNICAL, 503)


def test_case_35_html_is_read_as_a_person_would():
    page = (
        b"<html><head><style>b{}</style><title>502</title></head><body><h1>Bad&nbsp;Gateway</h1>\n<script>x()</script>"
    )
    failure = told(502, page, HTML)
    assert failure.text == "Unknown API error: 502 Bad Gateway (HTTP 502)"
    assert (failure.title, failure.detail) == ("Unknown API error", "502 Bad Gateway")


def test_case_35_plain_text_invalid_utf8_and_arrays():
    assert told(500, b"out of \xff order", {}).detail == "out of \ufffd order"
    assert told(400, b'["first", 2]', JSON).detail == '["first", 2]'
    assert told(500, b"", {}).text == "Unknown API error (HTTP 500)"
    assert told(400, b'\xef\xbb\xbf{"title": "Marked"}', JSON).title == "Marked"


def test_case_35_two_megabytes_keep_field_and_trace():
    body = {"title": "T" * 2_000_000, "detail": "d" * 2_000_000, "errors": [BAD_NAME], "traceId": TRACE}
    failure = told(400, body)
    assert len(failure.text) <= 1024
    assert "Name: Location Value: string not found." in failure.text
    assert failure.text.endswith(f"(HTTP 400, trace {TRACE})")
    assert len(told(500, b"<" * 2_000_000, HTML).text) <= 1024
    assert told(400, b"[" * 200_000, JSON).cause is Cause.NOT_READY
    assert told(400, b'{"a":' * 200_000, JSON).cause is Cause.NOT_READY


def test_case_36_trouble_with_the_account_is_not_the_users_spec():
    entry = {"field": "Ecommerce.SubscriptionServices.OrderId", "message": "invalid"}
    failure = told(400, errors(entry))
    assert failure.cause is Cause.ACCOUNT
    assert "Ecommerce.SubscriptionServices.OrderId: invalid" in failure.text
    assert told(400, errors(entry, BAD_NAME)).cause is Cause.SEMANTIC
    assert told(402).cause is Cause.TRANSIENT


def test_case_85_hostile_text_becomes_one_harmless_line():
    detail = 'in\x1b[31mred\x1b[0m\n{"level":"error"}\r\n\t %s {0} \x00\u202e\ud800 \x1b]0;title\x07end' + "x" * 100_000
    failure = told(400, {"title": "a\nb", "detail": detail})
    assert failure.title == "a b"
    assert failure.detail.startswith('inred {"level":"error"} %s {0} endxxx')
    assert len(failure.detail) == 1024
    assert failure.text.isprintable()
    failure.text.encode()


@pytest.mark.parametrize(
    ("value", "more", "seconds"),
    [
        ("7", {}, 7.0),
        ("0", {}, 0.0),
        ("100000", {}, 600.0),
        ("9" * 5000, {}, 600.0),
        ("Wed, 01 Jul 2026 08:00:30 GMT", {}, 30.0),
        ("Wed, 01 Jul 2026 07:00:00 GMT", {}, 0.0),
        ("Wed, 01 Jul 2026 08:00:30 GMT", {"Date": "Wed, 01 Jul 2026 08:00:20 GMT"}, 10.0),
        ("Wed, 01 Jul 2099 08:00:30 GMT", {}, 600.0),
        ("-3", {}, None),
        ("soon", {}, None),
        ("", {}, None),
        ("²", {}, None),
    ],
)
def test_case_89_retry_after_in_all_its_forms(value, more, seconds):
    assert classify(429, {"Retry-After": value} | more, b"", EPOCH).retry_after == seconds


@pytest.mark.parametrize(
    ("cause", "sent", "kind"),
    [
        (ConnectError("refused"), False, Cause.TECHNICAL),
        (ConnectTimeout("slow"), False, Cause.TECHNICAL),
        (PoolTimeout("full"), False, Cause.BUSY),
        (ReadError("reset"), True, Cause.TECHNICAL),
        (ReadTimeout("slow"), True, Cause.TECHNICAL),
        (RemoteProtocolError("hung up"), True, Cause.TECHNICAL),
    ],
)
def test_case_41_only_a_connection_never_made_is_surely_not_sent(cause, sent, kind):
    failure = unanswered(cause, "api.example")
    assert (failure.cause, failure.sent, failure.status) == (kind, sent, 0)
    assert "api.example" in failure.text


def test_a_cause_without_words_still_has_a_name():
    assert unanswered(ReadError(""), "api.example").text == "api.example: ReadError"


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["errors", "title", "field", "error"]) | st.text(), inner)
    ),
)


@given(
    status=st.integers(300, 599),
    body=st.binary() | JSONISH.map(lambda value: json.dumps(value).encode()),
    headers=st.dictionaries(st.sampled_from(["content-type", "retry-after", "date"]), st.text()),
)
def test_classification_is_total(status, body, headers):
    failure = classify(status, headers, body, EPOCH)
    assert failure.status == status
    assert 0 < len(failure.text) <= 1024
    assert failure.text.isprintable()
    assert all(len(part) <= 1024 for part in (failure.title, failure.detail, failure.trace))
    assert failure.retry_after is None or 0 <= failure.retry_after <= 600
