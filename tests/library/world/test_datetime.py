from __future__ import annotations

import math

import pytest

from harnlite.values.data_types import Duration

MARCH = 1_774_794_600  # 2026-03-29T14:30:00Z, the day Berlin's clocks went forward
BERLIN = "Europe/Berlin"


def test_now(run):
    text = "2026-03-29T14:30:00.123Z"
    assert run.call("date_now_iso") == run.call("date_iso") == text
    assert run.call("date_now") == {
        "day": 29,
        "hour": 14,
        "iso8601": text,
        "minute": 30,
        "month": 3,
        "second": 0,
        "timestamp": 1_774_794_600.123,
        "weekday": 0,
        "year": 2026,
    }


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-03-29T14:30:00Z", MARCH),
        ("2026-03-29t14:30:00z", MARCH),
        ("  2026-03-29 14:30:00+00:00 ", MARCH),
        ("2026-03-29T16:30:00+02:00", MARCH),
        ("2026-03-29T09:00:00-05:30", MARCH),
        ("2026-03-29T14:30:00.5Z", MARCH + 0.5),
        ("2026-03-29T14:30:00.123456789Z", MARCH + 0.123456789),
        ("2026-03-29T14:30:00.000Z", MARCH),
        ("2026-03-29 14:30:00", MARCH),
        ("2026-03-29T14:30:00.25", MARCH + 0.25),
        ("2026-3-29 14:30", MARCH),
        ("2026-03-29T14:30", MARCH),
        ("2026-03-29", MARCH - 52_200),
        ("1970-1-1", 0),
        ("29 March", None),
        ("year 2026, month 3, day 29", MARCH - 52_200),
        ("2026/03/29 14.30", MARCH),
        ("20 26 3", None),
        ("1969-12-31T23:59:59Z", -1),
    ],
)
def test_parse(run, text, seconds):
    if seconds is None:
        assert run.error("date_parse", text)
        return
    parsed = run.call("date_parse", text)
    assert parsed == seconds
    assert type(parsed) is type(seconds)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "Cannot parse date: "),
        ("soon", "Cannot parse date: soon"),
        (None, "Cannot parse date: nil"),
        ("1 2", "Cannot parse date: 1 2"),
        ("2026-13-01", "Invalid month: 13 (must be 1-12)"),
        ("2026-00-01", "Invalid month: 0 (must be 1-12)"),
        ("2026-01-32", "Invalid day: 32 (must be 1-31)"),
        ("2026-01-01 24:00", "Invalid hour: 24 (must be 0-23)"),
        ("2026-01-01 23:60", "Invalid minute: 60 (must be 0-59)"),
        ("2026-01-01T23:59:60Z", "Invalid second: 60 (must be 0-59)"),
        ("2026-02-30", "Invalid date: 2026-02-30"),
        ("2026-02-29T00:00:00Z", "Invalid date: 2026-02-29"),
        ("99999-1-1", "Invalid year: 99999"),
        ("1" * 5000 + "-1-1", "Cannot parse date: " + "1" * 5000 + "-1-1"),
    ],
)
def test_parse_errors(run, text, error):
    assert run.error("date_parse", text) == error


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("%Y %C %y", "2026 20 26"),
        ("%m %b %B %h", "03 Mar March Mar"),
        ("%d %e", "09  9"),
        ("%a %A %w %u", "Mon Monday 1 1"),
        ("%U %W %G %g %V %j", "10 10 2026 26 11 068"),
        ("%D %x %F %v", "03/09/26 03/09/26 2026-03-09  9-Mar-2026"),
        ("%H %k %I %l %P %p", "05  5 05  5 am AM"),
        ("%M %S %f", "07 08 123456000"),
        ("%S%.f %.3f %.6f %.9f %3f %6f %9f", "08.123456 .123 .123456 .123456000 123 123456 123456000"),
        ("%R %T %X %r", "05:07 05:07:08 05:07:08 05:07:08 AM"),
        ("%Z %z %:z", "UTC +0000 +00:00"),
        ("%c", "Mon Mar  9 05:07:08 2026"),
        ("%+", "2026-03-09T05:07:08.123456+00:00"),
        ("%s", "1773032828"),
        ("a%tb%nc%%", "a\tb\nc%"),
        ("%-d %-m %-j %-H", "9 3 68 5"),
        ("%_d %_m %_j", " 9  3  68"),
        ("%0e %0k %0l", "09 05 05"),
        ("", ""),
        ("é", "é"),
    ],
)
def test_format_tokens(run, token, text):
    assert run.call("date_format", 1_773_032_828.123456, token) == text


@pytest.mark.parametrize("pattern", ["%Q", "%", "100%", "%-b", "%-D", "%.", "%.4f", "%-%", "%E", "%ö"])
def test_format_unknown_tokens(run, pattern):
    assert run.error("date_format", 0, pattern) == f"date_format: invalid format '{pattern}'"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((0,), "1970-01-01 00:00:00"),
        ((MARCH, "%H:%M %Z %z %:z", BERLIN), "16:30 CEST +0200 +02:00"),
        ((-1.5, "%T%.f"), "23:59:58.500"),
        (({"timestamp": 0}, "%F"), "1970-01-01"),
        ((0, None), "nil"),
        ((0.0000004, "%f"), "000000000"),
        ((0, "%I %l %p"), "12 12 AM"),
        ((43_200, "%I %P"), "12 pm"),
        ((-62_135_596_800, "%Y %C %-Y"), "0001 00 1"),
        ((1_735_689_600 - 86_400, "%G-%V %U %W"), "2025-01 52 53"),
    ],
)
def test_format(run, args, text):
    assert run.call("date_format", *args) == text


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("date_format",), "date_format: missing timestamp argument"),
        (("date_format", None), "date_format: expected timestamp number or date dict, got nil"),
        (("date_format", True), "date_format: expected timestamp number or date dict, got bool"),
        (("date_format", {}), "date_format: expected timestamp number or date dict, got dict"),
        (("weekday_name", "x"), "weekday_name: expected timestamp number or date dict, got string"),
        (("date_to_zone", math.inf, "UTC"), "date_to_zone: timestamp must be finite"),
        (("date_to_zone", math.nan, "UTC"), "date_to_zone: timestamp must be finite"),
        (("date_in_zone", 10**18, "UTC"), "date_in_zone: timestamp out of range"),
        (("date_in_zone", 1e300, "UTC"), "date_in_zone: timestamp out of range"),
        (("date_in_zone", 0), "date_in_zone: missing timezone argument"),
        (("date_to_zone", 0), "date_to_zone: missing timezone argument"),
        (("date_format", 0, "%F", None), "date_format: unknown timezone 'nil'"),
        (("date_to_zone", 0, "europe/berlin"), "date_to_zone: unknown timezone 'europe/berlin'"),
        (("date_to_zone", 0, "Europe"), "date_to_zone: unknown timezone 'Europe'"),
        (("date_to_zone", 0, ""), "date_to_zone: unknown timezone ''"),
        (("date_to_zone", 0, "../../etc/passwd"), "date_to_zone: unknown timezone '../../etc/passwd'"),
        (("date_to_zone", 0, "/etc/localtime"), "date_to_zone: unknown timezone '/etc/localtime'"),
        (("date_to_zone", 0, "right/UTC"), "date_to_zone: unknown timezone 'right/UTC'"),
        (("month_name", 0, "Mars"), "month_name: unknown timezone 'Mars'"),
        (("date_add", 0), "date_add: missing duration argument"),
        (("date_add", 0, 5), "date_add: expected duration, got int"),
        (("date_add", 0, Duration(2**62)), "date_add: timestamp out of range"),
        (("date_diff", 0), "date_diff: missing timestamp argument"),
        (("duration_ms",), "duration_ms: missing value argument"),
        (("duration_days", "1"), "duration_days: expected number, got string"),
        (("duration_days", math.nan), "duration_days: expected number, got float"),
        (("duration_hours", math.inf), "duration_hours: expected number, got float"),
        (("duration_minutes", 2**60), "duration_minutes: duration overflow"),
        (("duration_seconds", -1e300), "duration_seconds: duration overflow"),
        (("duration_to_seconds",), "duration_to_seconds: missing duration argument"),
        (("duration_to_human", 5), "duration_to_human: expected duration, got int"),
    ],
)
def test_errors(run, args, error):
    assert run.error(*args) == error


def test_zones(run):
    assert run.call("date_in_zone", MARCH + 0.25, BERLIN) == {
        "day": 29,
        "hour": 16,
        "iso8601": "2026-03-29T16:30:00.250+02:00",
        "minute": 30,
        "month": 3,
        "offset_seconds": 7200,
        "second": 0,
        "timestamp": MARCH + 0.25,
        "weekday": 0,
        "year": 2026,
        "zone": BERLIN,
    }
    assert run.call("date_to_zone", MARCH, "UTC") == "2026-03-29T14:30:00+00:00"
    assert run.call("date_to_zone", MARCH, "America/New_York") == "2026-03-29T10:30:00-04:00"
    assert run.call("date_to_zone", MARCH, "Asia/Kolkata") == "2026-03-29T20:00:00+05:30"
    assert type(run.call("date_in_zone", 5.0, "UTC")["timestamp"]) is int


@pytest.mark.parametrize(
    ("parts", "zone", "seconds"),
    [
        ({"year": 1970, "month": 1, "day": 1}, "UTC", 0),
        ({"year": 2026.0, "month": 3, "day": 29, "hour": 16, "minute": 30}, BERLIN, MARCH),
        ({"year": 2026, "month": 10, "day": 25, "hour": 2, "minute": 30}, BERLIN, 1_792_888_200),
    ],
)
def test_from_components(run, parts, zone, seconds):
    assert run.call("date_from_components", parts, zone) == seconds


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ((), "date_from_components: missing components argument"),
        ((5,), "date_from_components: expected dict, got int"),
        (({},), "date_from_components: missing year"),
        (({"year": 1, "month": 2},), "date_from_components: missing day"),
        (({"year": "1"},), "date_from_components: year must be an integer, got string"),
        (({"year": 1.5},), "date_from_components: year must be an integer, got float"),
        (({"year": 1, "month": 1, "day": 1, "hour": None},), "date_from_components: hour must be an integer, got nil"),
        (({"year": 1, "month": 13, "day": 1},), "Invalid month: 13 (must be 1-12)"),
        (({"year": 2025, "month": 2, "day": 30},), "Invalid date: 2025-02-30"),
        (({"year": 1_000_000, "month": 2, "day": 3},), "Invalid year: 1000000"),
        (({"year": 2026, "month": 1, "day": 1}, None), "date_from_components: unknown timezone 'nil'"),
        (
            ({"year": 2026, "month": 3, "day": 29, "hour": 2, "minute": 30}, BERLIN),
            "date_from_components: local time does not exist in that timezone",
        ),
    ],
)
def test_from_components_errors(run, args, error):
    assert run.error("date_from_components", *args) == error


@pytest.mark.parametrize(
    ("name", "args", "value"),
    [
        ("duration_ms", (1.5,), 2),
        ("duration_ms", (-1.5,), -2),
        ("duration_seconds", (2,), 2000),
        ("duration_minutes", (0.5,), 30_000),
        ("duration_hours", (1,), 3_600_000),
        ("duration_days", (1,), 86_400_000),
        ("date_diff", (10, 5.5), 4500),
        ("date_diff", (5, {"timestamp": 10.0005}), -5000),
    ],
)
def test_durations(run, name, args, value):
    assert run.call(name, *args).ms == value


@pytest.mark.parametrize(
    ("ms", "text", "seconds"),
    [
        (0, "0s", 0),
        (93_900_000, "1d 2h 5m", 93_900),
        (90_061_001, "1d 1h 1m", 90_061),
        (61_001, "1m 1s 1ms", 61),
        (86_400_005, "1d 5ms", 86_400),
        (-1500, "-1s 500ms", -1),
        (999, "999ms", 0),
        (-999, "-999ms", 0),
    ],
)
def test_duration_texts(run, ms, text, seconds):
    assert run.call("duration_to_human", Duration(ms)) == text
    assert run.call("duration_to_seconds", Duration(ms)) == seconds


def test_date_add(run):
    assert run.call("date_add", 5, Duration(1500)) == 6.5
    later = run.call("date_add", 5.5, Duration(500))
    assert later == 6
    assert type(later) is int


def test_names(run):
    assert run.call("weekday_name", MARCH) == "Sunday"
    assert run.call("weekday_name", MARCH, "Pacific/Auckland") == "Monday"
    assert run.call("month_name", MARCH, None) == "March"
