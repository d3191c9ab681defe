"""The limits of a run: the name, default, least value and meaning of each, and the texts that set them."""

from __future__ import annotations

from types import MappingProxyType

from harnlite.diagnostics.suggest import near_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MEMORY, OUTPUT, PROCESSES = "max_memory", "output_bytes", "processes"

TABLE: tuple[tuple[str, int | None, int, str], ...] = (
    ("max_items", 100_000_000, 1_000_000, "items of a string, bytes, list or set"),
    ("max_value_bytes", 1_073_741_824, 1_000_000, "bytes of memory that one call may use for its result, estimated"),
    (MEMORY, None, 1_000_000, "bytes of memory above the start of the run"),
    (OUTPUT, None, 1, "bytes of output"),
    (PROCESSES, 256, 1, "programs running at once"),
    ("yaml_depth", 1_000, 1, "levels of nesting in a YAML document"),
    ("yaml_alias_values", 1_000_000, 0, "values that the aliases of a YAML document repeat"),
    ("toml_values", 1_000_000, 1, "values in a TOML document that is written, shared ones counted repeatedly"),
    ("glob_length", 10_000, 1, "characters of a glob"),
    ("query_length", 100_000, 1, "characters of a jq query"),
    ("query_steps", 3_000_000, 1, "results of all parts of a jq query"),
    ("schema_errors", 100_000, 1, "errors that the check of one value reports"),
    ("schema_cycles", 100_000, 1, "references to themselves that the check of one value meets"),
    ("regex_length", 50_000, 1, "characters of a regular expression"),
    ("regex_milliseconds", 5_000, 1, "milliseconds that the search of one text may take"),
)
"""The rows are: name, default (None for no limit), least value, and what is limited."""

NAMES = tuple(name for name, _, _, _ in TABLE)
IN_SANDBOX: Mapping[str, int] = MappingProxyType({MEMORY: 512_000_000, OUTPUT: 100_000_000})
"""The defaults of limits that are off outside a sandbox."""

SIZES = frozenset({"max_value_bytes", MEMORY, OUTPUT})
"""The limits in bytes, for which a size such as `512MB` may be given."""
_UNITS: Mapping[str, int] = MappingProxyType(
    {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
)


def size_of(text: str) -> int:
    """Return the bytes of a size such as `512MB`, `1.5GiB` or `1000000`; raise ValueError for any other text."""
    cleaned = text.strip().lower()
    mistake = ValueError(f"{text!r} is not a size: write for example 512MB, 1GiB or 1000000")
    number = cleaned.rstrip("bgikm")
    factor = _UNITS.get(cleaned[len(number) :])
    digits = number.rstrip()
    if factor is None or not digits.isascii() or not digits.replace(".", "", 1).isdecimal():
        raise mistake
    try:
        return int(float(digits) * factor) if "." in digits else int(digits) * factor
    except (ValueError, OverflowError):
        raise mistake from None


def checked_limit(name: str, value: object) -> int:
    """Return the value of a limit, which is an int or the text of a size; raise ValueError if it is not valid."""
    row = next((row for row in TABLE if row[0] == name), None)
    if row is None:
        near = near_name(name, NAMES)
        hint = f", did you mean '{near}'?" if near else ";"
        raise ValueError(f"unknown limit '{name}'{hint} the limits are {', '.join(NAMES)}")
    if isinstance(value, str) and name in SIZES:
        value = size_of(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < row[2]:
        kind = "a size" if name in SIZES else "an int"
        raise ValueError(f"the limit '{name}' must be {kind} of at least {row[2]}")
    return value


def size_limit(text: str) -> int:
    """Return the bytes of a limit on memory; raise ValueError if the text is not valid."""
    return checked_limit(MEMORY, size_of(text))


def limits_in(texts: Iterable[str]) -> dict[str, int]:
    """Return the limits that texts of the form `NAME=N` set, of which the last one counts; raise ValueError."""
    found = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign:
            raise ValueError(f"'{text}' is not of the form NAME=N; the limits are {', '.join(NAMES)}")
        is_number = value.isascii() and value.isdecimal()
        found[name] = checked_limit(name, int(value) if is_number else value)
    return found
