"""The tokens of the `date_format` builtin and the texts that they stand for."""

from __future__ import annotations

import calendar

from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    Time: TypeAlias = dt.datetime

MONTHS = tuple(calendar.month_name)[1:]
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MIDDAY, _HALF_DAY, _DAYS = 12, 12, 7
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_EPOCH = 719163  # the ordinal of 1970-01-01
_SHORT = 3


class UnknownTokenError(ValueError):
    """An unknown token in a format."""


def weekday(time: Time) -> int:
    """Return the day of the week, 0 for Sunday."""
    return time.isoweekday() % _DAYS


def offset_seconds(time: Time) -> int:
    """Return the offset of a local time from UTC in seconds."""
    offset = time.utcoffset()
    return int(offset.total_seconds()) if offset else 0


def offset_text(time: Time, colon: str = ":") -> str:
    """Return the offset from UTC, such as `+02:00`, rounded to minutes."""
    seconds = offset_seconds(time)
    minutes = (abs(seconds) + _MINUTE // 2) // _MINUTE
    return f"{'-' if seconds < 0 else '+'}{minutes // _MINUTE:02d}{colon}{minutes % _MINUTE:02d}"


def fraction_text(time: Time) -> str:
    """Return the fraction of the second with its dot, in 3 or 6 digits, or an empty text if it is zero."""
    micros = time.microsecond
    if not micros:
        return ""
    return f".{micros:06d}" if micros % 1000 else f".{micros // 1000:03d}"


def _timestamp(time: Time) -> int:
    seconds = time.hour * _HOUR + time.minute * _MINUTE + time.second - offset_seconds(time)
    return (time.toordinal() - _EPOCH) * _DAY + seconds


def _hour12(time: Time) -> int:
    return time.hour % _HALF_DAY or _HALF_DAY


def _day_of_year(time: Time) -> int:
    return time.timetuple().tm_yday


def _digits(places: int) -> Callable[[Time], str]:
    return lambda time: f"{time.microsecond * 1000:09d}"[:places]


# Numbers: value, minimum width, fill character
_NUMBERS: dict[str, tuple[Callable[[Time], int], int, str]] = {
    "Y": (lambda time: time.year, 4, "0"),
    "C": (lambda time: time.year // 100, 2, "0"),
    "y": (lambda time: time.year % 100, 2, "0"),
    "m": (lambda time: time.month, 2, "0"),
    "d": (lambda time: time.day, 2, "0"),
    "e": (lambda time: time.day, 2, " "),
    "w": (weekday, 1, ""),
    "u": (lambda time: time.isoweekday(), 1, ""),
    "U": (lambda time: (_day_of_year(time) + 6 - weekday(time)) // _DAYS, 2, "0"),
    "W": (lambda time: (_day_of_year(time) + 6 - time.weekday()) // _DAYS, 2, "0"),
    "G": (lambda time: time.isocalendar()[0], 4, "0"),
    "g": (lambda time: time.isocalendar()[0] % 100, 2, "0"),
    "V": (lambda time: time.isocalendar()[1], 2, "0"),
    "j": (_day_of_year, 3, "0"),
    "H": (lambda time: time.hour, 2, "0"),
    "k": (lambda time: time.hour, 2, " "),
    "I": (_hour12, 2, "0"),
    "l": (_hour12, 2, " "),
    "M": (lambda time: time.minute, 2, "0"),
    "S": (lambda time: time.second, 2, "0"),
    "f": (lambda time: time.microsecond * 1000, 9, "0"),
    "s": (_timestamp, 1, ""),
}
_TEXTS: dict[str, Callable[[Time], str]] = {
    "b": lambda time: MONTHS[time.month - 1][:_SHORT],
    "h": lambda time: MONTHS[time.month - 1][:_SHORT],
    "B": lambda time: MONTHS[time.month - 1],
    "a": lambda time: WEEKDAYS[weekday(time)][:_SHORT],
    "A": lambda time: WEEKDAYS[weekday(time)],
    "P": lambda time: "am" if time.hour < _MIDDAY else "pm",
    "p": lambda time: "AM" if time.hour < _MIDDAY else "PM",
    ".f": fraction_text,
    ".3f": lambda time: "." + _digits(3)(time),
    ".6f": lambda time: "." + _digits(6)(time),
    ".9f": lambda time: "." + _digits(9)(time),
    "3f": _digits(3),
    "6f": _digits(6),
    "9f": _digits(9),
    "Z": lambda time: time.tzname() or "UTC",
    "z": lambda time: offset_text(time, ""),
    ":z": offset_text,
    "t": lambda _: "\t",
    "n": lambda _: "\n",
    "%": lambda _: "%",
}
_SHORTHANDS = {
    "D": "%m/%d/%y",
    "x": "%m/%d/%y",
    "F": "%Y-%m-%d",
    "v": "%e-%b-%Y",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "X": "%H:%M:%S",
    "r": "%I:%M:%S %p",
    "c": "%a %b %e %H:%M:%S %Y",
    "+": "%Y-%m-%dT%H:%M:%S%.f%:z",
}
_FILLS = {"-": "", "_": " ", "0": "0"}
_MAX_TOKEN = 3


def _token(pattern: str, start: int) -> str:
    """Return the longest token that begins at `start`."""
    for length in range(_MAX_TOKEN, 0, -1):
        token = pattern[start : start + length]
        if len(token) == length and (token in _NUMBERS or token in _TEXTS or token in _SHORTHANDS):
            return token
    raise UnknownTokenError


def _number(time: Time, token: str, fill: str | None) -> str:
    value, width, usual = _NUMBERS[token]
    if fill is None:
        fill = usual
    digits = str(value(time))
    return digits.rjust(width, fill) if fill else digits


def _pieces(pattern: str, time: Time) -> Iterator[str]:
    at = 0
    while (percent := pattern.find("%", at)) >= 0:
        if BUILTINS["_hintr"]:
            poll_here()
        yield pattern[at:percent]
        at = percent + 1
        fill = _FILLS.get(pattern[at : at + 1])
        if fill is not None:
            at += 1
        token = _token(pattern, at)
        if token in _NUMBERS:
            yield _number(time, token, fill)
        elif fill is not None:
            raise UnknownTokenError
        elif token in _TEXTS:
            yield _TEXTS[token](time)
        else:
            yield from _pieces(_SHORTHANDS[token], time)
        at += len(token)
    yield pattern[at:]


def format_time(pattern: str, time: Time) -> str:
    """Format a local time by a pattern."""
    return "".join(_pieces(pattern, time))
