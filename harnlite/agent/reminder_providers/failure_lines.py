"""The search for failure lines in tool output: in known verification commands, or by unambiguous phrases."""

from __future__ import annotations

from harnlite.agent.reminder_providers.findings import Finding
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern
    from typing import Any

_MOST_TEXT = 96 * 1024
_RAW_FACTOR = 4
_DISPLAY_WORDS = frozenset(
    (
        *("read", "view", "cat", "open", "show", "display", "head", "tail", "less", "more", "get", "fetch", "look"),
        *("search", "grep", "rg", "find", "ls", "list", "dir", "tree", "glob"),
    )
)
_CLASSES = (
    ("parse_errors", r"parse error|syntax ?error|unexpected token", ""),
    ("undefined_names", r"undefined (?:name|variable|identifier)|not found in this scope|is not defined", ""),
    ("lint", "", r"\b(?:lint|clippy|eslint|ruff)\b"),
    ("test", r"test result: failed", r"\b(?:test|nextest|pytest)\b"),
    ("typecheck", "", r"\b(?:check|build|tsc|mypy|typecheck)\b"),
)
"""The classes of lines: the name, a pattern for the line, and a pattern for the command; the first match counts."""

_ESCAPES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])"
_COMMANDS = (
    r"\bcargo (?:\+\S+ )?(?:check|test|nextest|clippy|build)\b|\b(?:harn|harnlite) (?:check|lint|test)\b"
    r"|\bmake (?:test|all|lint|fmt)\b|\b(?:npm|pnpm|yarn) (?:run )?(?:test|lint|build)\b|\bpytest\b|\bgo test\b"
    r"|\bswift (?:test|build)\b|\btsc\b|\beslint\b|\bruff\b|\bmypy\b"
)
_PHRASES = (
    r"parse error|syntax error|SyntaxError|undefined (?:name|variable|identifier)|not found in this scope"
    r"|test result: failed|panicked at|error\[E"
)
_FAILING = r"\b(?:errors?|fail(?:ed|ure|ures|s|ing)?|panicked|fatal|exception|undefined|\w+Error)\b|^E\s{2,}|✗|✖"
_WARNING = r"\bwarn(?:ing)?s?\b"
_PASSING = r"\bPASS\b|\bPASSED\b|\.\.\. ok\b|^ok\b|✓|✔|test result: ok"
_NOTHING = r"\b0 (?:failed|failures|errors?)\b|\bno (?:\w+ ){0,3}errors?\b"
_SOME = r"\b[1-9]\d* (?:failed|failures?|errors?)\b"


_SIGNS = (
    *("error", "fail", "panicked", "fatal", "exception", "undefined", "not found in this scope", "warn"),
    *("\ne  ", "✗", "✖"),
)
"""A text without any of these (in lower case, after a line break) contains no finding and is not searched."""


def _compiled(pattern: str) -> Pattern[str]:
    import re

    return re.compile(pattern, re.IGNORECASE)


def text_findings(event: str, payload: dict[str, Any], *, with_warnings: bool) -> Iterator[Finding]:
    """Yield a finding for each line in the result of a tool that reports a failure."""
    tool = payload.get("tool")
    tool = tool if tool.__class__ is dict else {}
    name = payload.get("tool_name") or tool.get("name") or ""
    if _is_display_tool(display(name)):
        return
    text = _text_of(payload)
    lowered = "\n" + text.lower()
    if not any(sign in lowered for sign in _SIGNS):
        return
    command = _command_of(payload, tool)
    is_known = bool(command) and _compiled(_COMMANDS).search(command) is not None
    provenance = f"event={event} tool={display(name)}" + (f" command={command}" if command else "")
    lines = _known_lines(text, with_warnings=with_warnings) if is_known else _plain_lines(text)
    for line in lines:
        yield Finding(_class_of(line, command), provenance, line)


def _is_display_tool(name: str) -> bool:
    """Return whether a tool only displays files or lists; such output is not evidence of a failure."""
    return not _DISPLAY_WORDS.isdisjoint(name.lower().replace("-", "_").split("_"))


def _text_of(payload: dict[str, Any]) -> str:
    result = payload.get("result")
    of_result = result.get("text") if result.__class__ is dict else result
    candidates = (of_result, payload.get("rendered_result"), payload.get("observation"), payload.get("error"))
    texts = dict.fromkeys(text for text in candidates if isinstance(text, str) and text.strip())
    raw = "\n".join(texts)[: _RAW_FACTOR * _MOST_TEXT]
    if "\x1b" in raw:
        raw = _compiled(_ESCAPES).sub("", raw)
    return raw[:_MOST_TEXT]


def _command_of(payload: dict[str, Any], tool: dict[str, Any]) -> str:
    given = tool.get("args")
    arguments = given if given.__class__ is dict else {}
    candidates = (
        arguments.get("cmd"),
        arguments.get("command"),
        arguments.get("args"),
        arguments.get("argv"),
        given if isinstance(given, str) else None,
        payload.get("command"),
        payload.get("cmd"),
    )
    for value in candidates:
        text = " ".join(display(item) for item in value) if value.__class__ is list else value
        if isinstance(text, str) and text.strip():
            return " ".join(text.split())
    return ""


def _known_lines(text: str, *, with_warnings: bool) -> Iterator[str]:
    """Yield the lines of a verification command's output that report a failure."""
    failing = _compiled(f"{_FAILING}|{_WARNING}" if with_warnings else _FAILING)
    if failing.search(text) is None and _compiled(_PHRASES).search(text) is None:
        return
    phrases, warning = _compiled(_PHRASES), _compiled(_WARNING)
    for line in text.splitlines():
        if phrases.search(line) is None and failing.search(line) is None:
            continue
        if not _is_harmless(line) and (with_warnings or warning.search(line) is None or phrases.search(line)):
            yield line


def _plain_lines(text: str) -> Iterator[str]:
    """Yield the lines of any output that contain an unambiguous failure phrase."""
    phrases = _compiled(_PHRASES)
    if phrases.search(text) is not None:
        yield from (line for line in text.splitlines() if phrases.search(line) and not _is_harmless(line))


def _is_harmless(line: str) -> bool:
    """Return whether a line reports success."""
    if _compiled(_SOME).search(line):
        return False
    return _compiled(_PASSING).search(line) is not None or _compiled(_NOTHING).search(line) is not None


def _class_of(line: str, command: str) -> str:
    for name, words, commands in _CLASSES:
        if (words and _compiled(words).search(line)) or (commands and command and _compiled(commands).search(command)):
            return name
    return "verifier_output"
