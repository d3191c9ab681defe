"""Diagnostics as JUnit XML: a suite for each file, a failed case for each diagnostic."""

from __future__ import annotations

from harnlite.diagnostics.render_concise import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
_TAB, _NEWLINE, _RETURN = 0x9, 0xA, 0xD
_FIRST, _LAST_BEFORE_SURROGATES, _FIRST_AFTER, _LAST = 0x20, 0xD7FF, 0xE000, 0xFFFD


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:  # noqa: ARG001 - all renderers have the same signature
    """Return the XML text. Without diagnostics it contains one passed case."""
    files: dict[str, list[Diagnostic]] = {}
    for one in diagnostics:
        files.setdefault(one.source.name, []).append(one)
    count = sum(map(len, files.values()))
    suites = [_suite(name, found) for name, found in files.items()] or [_clean()]
    head = f'<testsuites name="harnlite" tests="{max(count, 1)}" failures="{count}" errors="0">\n'
    return f"{HEAD}{head}{''.join(suites)}</testsuites>\n"


def _clean() -> str:
    return (
        '  <testsuite name="harnlite" tests="1" failures="0" errors="0">\n'
        '    <testcase name="no findings" classname="harnlite"/>\n'
        "  </testsuite>\n"
    )


def _suite(name: str, found: Sequence[Diagnostic]) -> str:
    head = f'  <testsuite name={quoted(name)} tests="{len(found)}" failures="{len(found)}" errors="0">\n'
    return f"{head}{''.join(map(_case, found))}  </testsuite>\n"


def _case(one: Diagnostic) -> str:
    place = one.source.position(min(one.span.start, len(one.source.text)))
    title = f"{one.code or one.severity} {place}"
    advice = "".join(f"\nhelp: {text}" for text in one.help)
    return (
        f"    <testcase name={quoted(title)} classname={quoted(one.source.name)}"
        f' file={quoted(one.source.name)} line="{place.line}" column="{place.column}">\n'
        f"      <failure type={quoted(one.severity)} message={quoted(one.message)}>"
        f"{escaped(line(one) + advice)}</failure>\n    </testcase>\n"
    )


def quoted(text: str) -> str:
    """Return a text as the value of an XML attribute."""
    value = escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f'"{value}"'


def escaped(text: str) -> str:
    """Escape a text for XML. Characters that XML does not allow become replacement characters."""
    held = "".join(char if _is_held(ord(char)) else "\ufffd" for char in text)
    return held.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _is_held(char: int) -> bool:
    return (
        char in (_TAB, _NEWLINE, _RETURN)
        or _FIRST <= char <= _LAST_BEFORE_SURROGATES
        or _FIRST_AFTER <= char <= _LAST
        or char > _LAST + 2
    )
