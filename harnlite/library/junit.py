"""The builtin that reads JUnit XML reports."""

from __future__ import annotations

from harnlite.formats.junit import junit_cases
from harnlite.library.native import native
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown
from harnlite.values.size_limits import check_items

_CASE_BYTES = 500


@native("parse_junit_xml")
def parse_junit_xml(report: object = None) -> list[dict[str, object]]:
    """Return the test cases of a JUnit report."""
    if report is None:
        return []
    if not isinstance(report, (str, bytes)):
        raise thrown(f"parse_junit_xml: expected string or bytes, got {type_name(report)}")
    count = report.count(b"<testcase") if isinstance(report, bytes) else report.count("<testcase")
    check_items(count, _CASE_BYTES)
    return junit_cases(report)
