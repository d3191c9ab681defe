"""Dates, time zones and durations agree with Python's datetime and zoneinfo."""

from __future__ import annotations

import datetime as dt
import zoneinfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from harnlite.library import datetime as dates
from harnlite.values.data_types import Duration
from harnlite.values.errors import ScriptError

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
FIRST, LAST = -62_135_596_800, 253_402_300_799
ZONES = [
    "UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
    "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati", "Africa/Monrovia",
    "Etc/GMT+12",
]  # fmt: skip
DIRECTIVES = "%Y|%m|%d|%H|%I|%M|%S|%j|%a|%A|%b|%B|%p|%y|%w|%u|%U|%W|%G|%V|%F|%T|%D|%R|%%"
zones = st.sampled_from(ZONES)
instants = st.integers(FIRST, LAST) | st.integers(-3_000_000_000, 5_000_000_000)
local = dt.datetime.fromisoformat
local_times = st.datetimes() | st.datetimes(local("1900-01-01"), local("2060-01-01"))


def at(seconds):
    return EPOCH + dt.timedelta(seconds=seconds)


def in_zone(seconds, zone):
    """Return Python's local time, or None if its year is out of range."""
    try:
        return at(seconds).astimezone(zoneinfo.ZoneInfo(zone))
    except OverflowError:
        return None


def failure(function, *args):
    with pytest.raises(ScriptError) as caught:
        function(*args)
    return caught.value.value


@given(instants, zones)
@example(FIRST, "America/New_York")
@example(LAST, "Pacific/Kiritimati")
@example(FIRST, "Africa/Monrovia")
def test_components_in_a_zone(seconds, zone):
    there = in_zone(seconds, zone)
    if there is None:
        assert failure(dates.date_in_zone, seconds, zone) == "date_in_zone: timestamp out of range"
        return
    found = dates.date_in_zone(seconds, zone)
    fields = ("year", "month", "day", "hour", "minute", "second")
    assert [found[name] for name in fields] == [getattr(there, name) for name in fields]
    assert found["offset_seconds"] == there.utcoffset().total_seconds()
    assert found["weekday"] == there.isoweekday() % 7
    assert found["timestamp"] == seconds
    assert dates.weekday_name(seconds, zone) == there.strftime("%A")
    assert dates.month_name(seconds, zone) == there.strftime("%B")


@given(instants, zones)
@example(FIRST, "UTC")
@example(LAST, "UTC")
def test_texts_with_an_offset_name_the_same_time_again(seconds, zone):
    there = in_zone(seconds, zone)
    assume(there is not None)
    text = dates.date_to_zone(seconds, zone)
    offset = there.utcoffset().total_seconds()
    if offset % 60 == 0:
        assert dt.datetime.fromisoformat(text) == there
        assert text == there.isoformat(timespec="seconds")
        assert dates.date_parse(text) == seconds
    assert text == dates.date_in_zone(seconds, zone)["iso8601"]


@given(instants, zones, st.lists(st.sampled_from(DIRECTIVES.split("|")), max_size=6))
def test_formats(seconds, zone, directives):
    there = in_zone(seconds, zone)
    assume(there is not None)
    found = dates.date_format(seconds, "|".join(directives), zone).split("|")
    for directive, text in zip(directives, found, strict=False):
        expected = there.strftime(directive)
        # C's library does not pad years in these.
        width = {"%Y": 4, "%G": 4, "%F": 10}.get(directive, 0)
        assert text == expected.rjust(width, "0")


@given(local_times, st.integers(0, 999_999), st.sampled_from(["T", "t", " "]))
def test_texts_without_an_offset_are_in_utc(time, micros, between):
    expected = (time.replace(microsecond=micros, tzinfo=dt.UTC) - EPOCH) / dt.timedelta(seconds=1)
    text = f"{time.year:04d}-{time:%m-%d}{between}{time:%H:%M:%S}"
    whole = (time.replace(microsecond=0, tzinfo=dt.UTC) - EPOCH) // dt.timedelta(seconds=1)
    assert dates.date_parse(f"{text}Z") == whole
    assert dates.date_parse(text) == whole
    assert abs(dates.date_parse(f"{text}.{micros:06d}Z") - expected) < 1e-4
    assert dates.date_parse(text[:10]) == whole - (whole % 86_400)


@given(st.integers(1, 9999), st.integers(1, 12), st.integers(1, 31), st.integers(0, 23), st.integers(-840, 840))
@example(1, 1, 1, 0, 840)
@example(9999, 12, 31, 23, -840)
@example(1900, 2, 29, 0, 0)
@example(2000, 2, 29, 0, 0)
def test_days_and_offsets(year, month, day, hour, offset):
    sign = "-" if offset < 0 else "+"
    text = f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:00:00{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"
    try:
        naive = local(text[:19])
    except ValueError:
        assert failure(dates.date_parse, text) == f"Invalid date: {text[:10]}"
        return
    assert dates.date_parse(text) == (naive - local("1970-01-01")).total_seconds() - offset * 60


@given(local_times, zones)
@example(local("2026-03-29T02:30"), "Europe/Berlin")
@example(local("2026-10-25T02:30"), "Europe/Berlin")
@example(local("2026-10-04T02:15"), "Australia/Lord_Howe")
@example(local("2011-12-30T12:00"), "Pacific/Apia")
@example(local("0001-01-01"), "Pacific/Kiritimati")
@example(local("9999-12-31T23:00"), "America/New_York")
def test_local_times_of_a_zone(time, zone):
    time = time.replace(microsecond=0)
    parts = {name: getattr(time, name) for name in ("year", "month", "day", "hour", "minute", "second")}
    zoned = time.replace(tzinfo=zoneinfo.ZoneInfo(zone))
    try:
        instant = zoned.astimezone(dt.UTC)
    except OverflowError:
        assert failure(dates.date_from_components, parts, zone) == f"Invalid year: {time.year}"
        return
    if instant.astimezone(zoned.tzinfo).replace(tzinfo=None, fold=0) != time:
        text = "date_from_components: local time does not exist in that timezone"
        assert failure(dates.date_from_components, parts, zone) == text
        return
    seconds = dates.date_from_components(parts, zone)
    assert seconds == (instant - EPOCH).total_seconds()
    again = dates.date_in_zone(seconds, zone)
    assert {name: again[name] for name in parts} == parts


@given(instants, st.integers(-(10**13), 10**13))
def test_sums(seconds, ms):
    try:
        expected = at(seconds) + dt.timedelta(milliseconds=ms)
    except OverflowError:
        assert failure(dates.date_add, seconds, Duration(ms)) == "date_add: timestamp out of range"
        return
    found = dates.date_add(seconds, Duration(ms))
    assert abs(found - (expected - EPOCH).total_seconds()) < 1e-4
    assert type(found) is (int if expected.microsecond == 0 else float)
    assert dates.date_diff(found, seconds).ms in ({ms} if abs(seconds) < 2**33 else {ms - 1, ms, ms + 1})


@given(instants, instants)
def test_differences(later, earlier):
    found = dates.date_diff(later, earlier)
    assert dt.timedelta(milliseconds=found.ms) == at(later) - at(earlier)
    assert dates.date_add(earlier, found) == later
    assert dates.duration_to_seconds(found) == later - earlier


@given(st.floats(FIRST, LAST))
def test_fractions(seconds):
    expected = at(round(seconds * 1_000_000) // 1_000_000)
    assert dates.date_format(seconds, "%Y-%m-%dT%H:%M:%S") == expected.isoformat()[:19]
    micros = int(dates.date_format(seconds, "%6f"))
    assert micros == round(seconds * 1_000_000) % 1_000_000
