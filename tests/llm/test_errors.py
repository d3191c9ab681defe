"""Error messages."""

import pytest

from harnlite.llm.errors import error_category, http_error_message
from harnlite.values.errors import ScriptError, runtime_error, thrown


@pytest.mark.parametrize(
    ("status", "body", "more", "message"),
    [
        (429, "busy", {"retry_after": "3"}, "p HTTP 429 [rate_limited]: busy (retry-after: 3)"),
        (503, "down", {}, "p HTTP 503 [http_error]: down"),
        (401, "bad key", {}, "p HTTP 401 [auth_failure]: bad key"),
        (
            400,
            "prompt is too long",
            {"offending_tokens": 9},
            "p HTTP 400 [context_overflow]: prompt is too long (offending_tokens: 9)",
        ),
        (400, "odd", {"offending_tokens": 9}, "p HTTP 400 [unknown]: odd"),
    ],
)
def test_http_errors(status, body, more, message):
    assert http_error_message("p", status, body, **more) == message


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (ScriptError("Error [tool_rejected]: no 500"), "tool_rejected"),
        (thrown({"category": "timeout"}), "timeout"),
        (thrown({"category": "made up"}), "generic"),
        (thrown({"message": "429"}), "generic"),
        (thrown("HTTP 429"), "rate_limit"),
        (runtime_error("stream error"), "transient_network"),
        (thrown(5), "generic"),
    ],
)
def test_category_of_an_error(error, category):
    assert error_category(error) == category
