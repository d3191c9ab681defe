"""Builtins for dates, time zones and durations; times are Unix seconds, and `mock_time` does not affect them."""

from __future__ import annotations

import datetime as dt
import math
import re

from harnlite.library.date_tokens import (
    MONTHS,
    WEEKDAYS,
    UnknownTokenError,
    format_time,
    fraction_text,
    offset_seconds,
    offset_text,
    weekday,
)
from harnlite.library.native import MISSING, native
from harnlite.values.data_types import Duration, type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_UTC = dt.UTC
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=_UTC)
_MICRO = dt.timedelta(microseconds=1)
_MICROS, _MICROS_PER_MS, _NANOS = 1_000_000, 1000, 1_000_000_000
_INT_LIMIT = 2**63
_EXCLUDED_ZONES = ("posix/", "right/", "localtime", "posixrules")

_FULL = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_LOCAL = re.compile(
    r"([0-9]{1,4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:T|\s+)([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]+))?)?)?"
)
_DIGITS = re.compile("[0-9]+")
_MIN_FIELDS, _FIELDS, _MAX_DIGITS = 3, 6, 18

_RANGES = (("month", 1, 12), ("day", 1, 31), ("hour", 0, 23), ("minute", 0, 59), ("second", 0, 59))
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms"))
_UNITS_SHOWN = 3


# Arguments


def _micros(name: str, value: object) -> int:
    """Return a time argument as microseconds since the epoch."""
    if value is MISSING:
        raise thrown(f"{name}: missing timestamp argument")
    number = value.get("timestamp") if isinstance(value, dict) else value
    if type(number) is int:
        return number * _MICROS
    if type(number) is not float:
        raise thrown(f"{name}: expected timestamp number or date dict, got {type_name(value)}")
    if not math.isfinite(number):
        raise thrown(f"{name}: timestamp must be finite")
    return round(number * _MICROS)


def _instant(name: str, value: object) -> dt.datetime:
    try:
        return _EPOCH + dt.timedelta(microseconds=_micros(name, value))
    except OverflowError:
        raise thrown(f"{name}: timestamp out of range") from None


def _zone(name: str, value: object) -> dt.tzinfo:
    if value is MISSING:
        raise thrown(f"{name}: missing timezone argument")
    key = display(value)
    if key == "UTC":
        return _UTC
    import zoneinfo

    try:
        if not key.startswith(_EXCLUDED_ZONES):
            return zoneinfo.ZoneInfo(key)
    except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):
        pass
    raise thrown(f"{name}: unknown timezone '{key}'")


def _local(name: str, value: object, zone: object) -> dt.datetime:
    """Return a time argument as the local time of a zone."""
    instant = _instant(name, value)
    try:
        return instant.astimezone(_zone(name, zone))
    except OverflowError:
        raise thrown(f"{name}: timestamp out of range") from None


def _duration(name: str, value: object) -> Duration:
    if value is MISSING:
        raise thrown(f"{name}: missing duration argument")
    if not isinstance(value, Duration):
        raise thrown(f"{name}: expected duration, got {type_name(value)}")
    return value


def _seconds(micros: int) -> int | float:
    """Convert microseconds to seconds, as an int if they are whole."""
    return micros / _MICROS if micros % _MICROS else micros // _MICROS


def _rfc3339(time: dt.datetime) -> str:
    return f"{time.year:04d}-{time:%m-%dT%H:%M:%S}{fraction_text(time)}{offset_text(time)}"


def _date_fields(time: dt.datetime) -> dict[str, object]:
    return {
        "day": time.day,
        "hour": time.hour,
        "minute": time.minute,
        "month": time.month,
        "second": time.second,
        "weekday": weekday(time),
        "year": time.year,
    }


# Now


def _now(run: Execution) -> tuple[float, dt.datetime, str]:
    ms = math.floor(run.clock.now() * 1000)
    time = _EPOCH + dt.timedelta(milliseconds=ms)
    return ms / 1000, time, f"{time.year:04d}-{time:%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


@native("date_now")
def date_now(run: Execution) -> dict[str, object]:
    """Return the current date and time in UTC as a dict."""
    timestamp, time, text = _now(run)
    return {**_date_fields(time), "iso8601": text, "timestamp": timestamp}


@native("date_now_iso")
def date_now_iso(run: Execution) -> str:
    """Return the current date and time in UTC as an ISO 8601 text."""
    return _now(run)[2]


@native("date_iso")
def date_iso(run: Execution) -> str:
    """Return the current date and time in UTC as an ISO 8601 text."""
    return _now(run)[2]


# Reading


def _check_ranges(fields: list[int]) -> None:
    """Throw if the month, day, hour, minute or second is out of range."""
    for value, (name, low, high) in zip(fields[1:], _RANGES, strict=False):
        if not low <= value <= high:
            raise thrown(f"Invalid {name}: {value} (must be {low}-{high})")


def _naive(fields: list[int]) -> dt.datetime:
    _check_ranges(fields)
    year, month, day, hour, minute, second = [*fields, 0, 0, 0][:_FIELDS]
    if not dt.MINYEAR <= year <= dt.MAXYEAR:
        raise thrown(f"Invalid year: {year}")
    try:
        return dt.datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - the caller knows the zone
    except ValueError:
        raise thrown(f"Invalid date: {year:04d}-{month:02d}-{day:02d}") from None


def _nanos(fraction: str | None) -> int:
    return int((fraction or "")[:9].ljust(9, "0"))


def _from_fields(fields: list[int], fraction: str | None, offset_minutes: int) -> int | float:
    since = _naive(fields).replace(tzinfo=_UTC) - _EPOCH
    seconds = since // dt.timedelta(seconds=1) - offset_minutes * 60
    nanos = _nanos(fraction)
    return (seconds * _NANOS + nanos) / _NANOS if nanos else seconds


def _match_fields(match: re.Match[str]) -> list[int]:
    return [int(text or 0) for text in match.groups()[:_FIELDS]]


@native("date_parse")
def date_parse(text: object = "") -> int | float:
    """Parse a date in one of several formats and return its timestamp."""
    trimmed = display(text).strip()
    full = _FULL.fullmatch(trimmed)
    if full:
        sign, hours, minutes = full.group(8, 9, 10)
        ahead = int(hours or 0) * 60 + int(minutes or 0)
        return _from_fields(_match_fields(full), full.group(7), -ahead if sign == "-" else ahead)
    local = _LOCAL.fullmatch(trimmed)
    if local:
        return _from_fields(_match_fields(local), local.group(7), 0)
    numbers = _DIGITS.findall(trimmed)[:_FIELDS]
    if len(numbers) < _MIN_FIELDS or max(map(len, numbers)) > _MAX_DIGITS:
        raise thrown(f"Cannot parse date: {trimmed}")
    return _from_fields([int(digits) for digits in numbers], None, 0)


def _component(parts: dict[str, object], key: str, default: int | None) -> int:
    if key not in parts:
        if default is None:
            raise thrown(f"date_from_components: missing {key}")
        return default
    value = parts[key]
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise thrown(f"date_from_components: {key} must be an integer, got {type_name(value)}")


@native("date_from_components")
def date_from_components(parts: object = MISSING, zone: object = "UTC") -> int | float:
    """Return the timestamp of a date given by its components."""
    name = "date_from_components"
    if parts is MISSING:
        raise thrown(f"{name}: missing components argument")
    if not isinstance(parts, dict):
        raise thrown(f"{name}: expected dict, got {type_name(parts)}")
    date = [_component(parts, key, None) for key in ("year", "month", "day")]
    time = [_component(parts, key, 0) for key in ("hour", "minute", "second")]
    tz = _zone(name, zone)
    naive = _naive(date + time)
    try:
        instant = naive.replace(tzinfo=tz).astimezone(_UTC)
        local = instant.astimezone(tz)
    except OverflowError:
        raise thrown(f"Invalid year: {date[0]}") from None
    if local.replace(tzinfo=None) != naive:
        raise thrown(f"{name}: local time does not exist in that timezone")
    return _seconds((instant - _EPOCH) // _MICRO)


# Writing


@native("date_format")
def date_format(time: object = MISSING, pattern: object = "%Y-%m-%d %H:%M:%S", zone: object = "UTC") -> str:
    """Format a time by a pattern."""
    local = _local("date_format", time, zone)
    form = display(pattern)
    try:
        return format_time(form, local)
    except UnknownTokenError:
        raise thrown(f"date_format: invalid format '{form}'") from None


@native("date_in_zone")
def date_in_zone(time: object = MISSING, zone: object = MISSING) -> dict[str, object]:
    """Return the components of a time in a time zone."""
    local = _local("date_in_zone", time, zone)
    return {
        **_date_fields(local),
        "iso8601": _rfc3339(local),
        "offset_seconds": offset_seconds(local),
        "timestamp": _seconds(_micros("date_in_zone", time)),
        "zone": display(zone),
    }


@native("date_to_zone")
def date_to_zone(time: object = MISSING, zone: object = MISSING) -> str:
    """Return a time as an RFC 3339 text with the offset of a time zone."""
    return _rfc3339(_local("date_to_zone", time, zone))


@native("weekday_name")
def weekday_name(time: object = MISSING, zone: object = None) -> str:
    """Return the English name of the day of the week."""
    return WEEKDAYS[weekday(_local("weekday_name", time, "UTC" if zone is None else zone))]


@native("month_name")
def month_name(time: object = MISSING, zone: object = None) -> str:
    """Return the English name of the month."""
    return MONTHS[_local("month_name", time, "UTC" if zone is None else zone).month - 1]


# Durations


def _duration_of(name: str, value: object, unit_ms: int) -> Duration:
    if value is MISSING:
        raise thrown(f"{name}: missing value argument")
    if type(value) is int:
        ms = value * unit_ms
    elif type(value) is float and math.isfinite(value):
        exact = abs(value) * unit_ms
        ms = math.floor(min(exact, 2.0 * _INT_LIMIT) + 0.5)
        ms = -ms if value < 0 else ms
    else:
        raise thrown(f"{name}: expected number, got {type_name(value)}")
    if not -_INT_LIMIT <= ms < _INT_LIMIT:
        raise thrown(f"{name}: duration overflow")
    return Duration(ms)


@native("duration_ms")
def duration_ms(value: object = MISSING) -> Duration:
    """Return a duration of this many milliseconds."""
    return _duration_of("duration_ms", value, 1)


@native("duration_seconds")
def duration_seconds(value: object = MISSING) -> Duration:
    """Return a duration of this many seconds."""
    return _duration_of("duration_seconds", value, 1000)


@native("duration_minutes")
def duration_minutes(value: object = MISSING) -> Duration:
    """Return a duration of this many minutes."""
    return _duration_of("duration_minutes", value, 60_000)


@native("duration_hours")
def duration_hours(value: object = MISSING) -> Duration:
    """Return a duration of this many hours."""
    return _duration_of("duration_hours", value, 3_600_000)


@native("duration_days")
def duration_days(value: object = MISSING) -> Duration:
    """Return a duration of this many days."""
    return _duration_of("duration_days", value, 86_400_000)


@native("date_add")
def date_add(time: object = MISSING, duration: object = MISSING) -> int | float:
    """Add a duration to a time."""
    _instant("date_add", time)
    micros = _micros("date_add", time) + _duration("date_add", duration).ms * _MICROS_PER_MS
    return _seconds_in_range("date_add", micros)


def _seconds_in_range(name: str, micros: int) -> int | float:
    try:
        _EPOCH + dt.timedelta(microseconds=micros)
    except OverflowError:
        raise thrown(f"{name}: timestamp out of range") from None
    return _seconds(micros)


@native("date_diff")
def date_diff(later: object = MISSING, earlier: object = MISSING) -> Duration:
    """Return the duration from the second time to the first."""
    for time in (later, earlier):
        _instant("date_diff", time)
    micros = _micros("date_diff", later) - _micros("date_diff", earlier)
    ms = abs(micros) // _MICROS_PER_MS
    return Duration(-ms if micros < 0 else ms)


@native("duration_to_seconds")
def duration_to_seconds(duration: object = MISSING) -> int:
    """Return the whole seconds of a duration, rounded toward zero."""
    ms = _duration("duration_to_seconds", duration).ms
    return -(-ms // 1000) if ms < 0 else ms // 1000


@native("duration_to_human")
def duration_to_human(duration: object = MISSING) -> str:
    """Return a duration in its three largest units, such as `1d 2h 5m`."""
    ms = _duration("duration_to_human", duration).ms
    rest = abs(ms)
    pieces = []
    for unit, name in _UNITS:
        count, rest = divmod(rest, unit)
        if count:
            pieces.append(f"{count}{name}")
    if not pieces:
        return "0s"
    return ("-" if ms < 0 else "") + " ".join(pieces[:_UNITS_SHOWN])
