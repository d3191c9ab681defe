"""The search for evidence of failure in the payload of an event: reported errors, not opinions about the code."""

from __future__ import annotations

from harnlite.agent.reminder_providers.failure_lines import text_findings
from harnlite.agent.reminder_providers.findings import Finding
from harnlite.digests import sha256
from harnlite.formats.json.writing import json_text
from harnlite.reminders.hook_events import POST_TOOL_USE
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Payload: TypeAlias = dict[str, Any]
    Found: TypeAlias = Iterator[Finding]

_DEEPEST = 8
_MOST, _FEWEST, _USUAL = 20, 1, 6
_FAILED = frozenset({"error", "failed", "failure"})
_ACCEPTING = frozenset({"accept", "accepted", "pass", "passed", "ok", "success", "succeeded", "true"})
_ERROR_LIKE = frozenset({"error", "errors", "fatal", "critical", "failure", "failed", "fail", "blocker", "high"})
_WARNING_LIKE = frozenset({"warning", "warn", "warnings"})
_MESSAGES = ("message", "reason", "summary", "text", "error", "description", "title", "name", "code")
_PLACES = (
    ("file", ("file", "path", "filename", "uri")),
    ("line", ("line", "row", "lineno")),
    ("column", ("column", "col")),
)
_ALWAYS = ("parse_errors", "undefined_names")
_BY_SEVERITY = ("diagnostics", "issues", "findings")
_UNLESS_ZERO = ("errors", "failures")
_SIGNALS, _OUTCOME = "verifier_signals", "verifier_outcome"
_REPORT_KEYS = (_SIGNALS, _OUTCOME, *_ALWAYS, *_BY_SEVERITY, *_UNLESS_ZERO)
_REPORT_KEY_SET = frozenset(_REPORT_KEYS)
_INPUTS = frozenset({"args", "arguments", "options", "config"})
"""The keys of inputs, which are not evidence of a result."""


def review(event: str, payload: object, config: object) -> dict[str, object] | None:
    """Return the findings to show, the number of all findings, and a digest; return None if there are no findings."""
    facts, settings = _dict(payload), _dict(config)
    unique: dict[tuple[str, str], Finding] = {}
    for finding in _findings(event, facts, settings):
        unique.setdefault(finding.identity, finding)
    if not unique:
        return None
    found = list(unique.values())
    return {
        "findings": [finding.as_dict() for finding in found[: _limit(settings)]],
        "total": len(found),
        "digest": _digest(event, found),
    }


def _limit(config: Payload) -> int:
    limit = config.get("max_findings")
    if limit is None:
        limit = config.get("limit")
    return min(_MOST, max(_FEWEST, limit)) if limit.__class__ is int else _USUAL


def _digest(event: str, found: list[Finding]) -> str:
    text = json_text([event, [finding.as_dict() for finding in found]])
    digest: str = sha256(text.encode("utf-8", "replace")).hexdigest()
    return digest[:16]


def _findings(event: str, payload: Payload, config: Payload) -> Found:
    yield from _explicit_failure(event, payload)
    if _has_reports(payload):
        yield from _verifiers(payload)
        yield from _structured(payload, "", 0, with_warnings=config.get("include_warnings") is True)
    if config.get("text_scan") is not False and event == POST_TOOL_USE:
        yield from text_findings(event, payload, with_warnings=config.get("include_warnings") is True)


def _has_reports(payload: Payload) -> bool:
    """Return whether a payload contains a non-empty key for error reports; most payloads do not."""
    waiting: list[object] = [payload]
    while waiting:
        value = waiting.pop()
        if value.__class__ is list:
            waiting += [child for child in value if child.__class__ is dict or child.__class__ is list]
        elif value.__class__ is dict:
            if not _REPORT_KEY_SET.isdisjoint(value) and any(value.get(key) for key in _REPORT_KEYS):
                return True
            for key, child in value.items():
                if (child.__class__ is dict or child.__class__ is list) and key not in _INPUTS:
                    waiting.append(child)
    return False


def _explicit_failure(event: str, payload: Payload) -> Found:
    """Yield a finding if the payload or its result reports a failure explicitly."""
    result = _dict(payload.get("result"))
    is_failed = False
    for facts in (payload, result):
        status = facts.get("status")
        is_failed = is_failed or facts.get("ok") is False or (isinstance(status, str) and status.lower() in _FAILED)
    errors = [payload.get("error"), result.get("error")]
    reported = [error for error in errors if _has_text(error)]
    if not is_failed and not reported:
        return
    rest = (result.get("message"), payload.get("message"), result.get("text"), payload.get("status"))
    reported += [text for text in rest if _has_text(text)]
    yield Finding("runtime_error", f"event={event}", _message(reported[0]) if reported else "the operation failed")


def _has_text(value: object) -> bool:
    return value not in (None, False, "") and bool(display(value).strip())


def _verifiers(payload: Payload) -> Found:
    """Yield findings for verifiers that did not accept: first the single signals, then the outcomes."""
    verdicts = list(_verdicts(payload, "", 0))
    reported: dict[str, list[Finding]] = {}
    for key, signals, place in verdicts:
        if key == _SIGNALS and signals.__class__ is list:
            found = [
                finding
                for number, signal in enumerate(signals)
                for finding in _verifier(signal, f"{place}[{number}]", is_outcome=False)
            ]
            reported[place.removesuffix(_SIGNALS)] = found
            yield from found
    for key, outcome, place in verdicts:
        if key == _OUTCOME and not _is_summary(outcome, reported.get(place.removesuffix(_OUTCOME))):
            yield from _verifier(outcome, place, is_outcome=True)


def _is_summary(outcome: object, signals: list[Finding] | None) -> bool:
    """Return whether an outcome adds nothing to the rejecting signals beside it."""
    reason = _dict(outcome).get("reason")
    return bool(signals) and not _has_text(reason)


def _verdicts(value: object, path: str, depth: int) -> Iterator[tuple[str, Any, str]]:
    """Yield the results of verifiers, down to a maximum depth: the key, the value, and the path."""
    for key, child, place in _children(value, path, depth):
        if key in {_SIGNALS, _OUTCOME}:
            yield key, child, place
        elif child.__class__ in {dict, list}:
            yield from _verdicts(child, place, depth + 1)


def _verifier(verdict: object, path: str, *, is_outcome: bool) -> Found:
    facts = _dict(verdict)
    signal = facts.get("signal", facts.get("outcome")) if facts else verdict
    if signal is None:
        return
    text = display(signal).strip()
    if text.lower() in _ACCEPTING or not text:
        return
    kind, name = facts.get("kind"), facts.get("name")
    label = display(kind or name or "")
    source = "verifier" if is_outcome else f"verifier:{label or 'unknown'}"
    named = "" if name is None else f" name={display(name)}"
    reason = facts.get("reason")
    summary = reason if _has_text(reason) else f"{label} verifier returned {text}"
    subject = "" if is_outcome else display(name or kind or "")
    yield Finding(source, f"{path}{named} signal={text}", summary, subject)


def _structured(value: object, path: str, depth: int, *, with_warnings: bool) -> Found:
    """Yield findings for lists of errors and diagnostics, down to a maximum depth."""
    for key, child, place in _children(value, path, depth):
        if key in _ALWAYS or key in _UNLESS_ZERO:
            yield from (_entry(key, entry, where) for entry, where in _entries(child, place))
        elif key in _BY_SEVERITY and child.__class__ is list:
            for entry, where in _entries(child, place):
                if _is_severe(entry, with_warnings=with_warnings):
                    yield _entry(key, entry, where)
        elif child.__class__ in {dict, list}:
            yield from _structured(child, place, depth + 1, with_warnings=with_warnings)


def _children(value: object, path: str, depth: int) -> Iterator[tuple[str, object, str]]:
    """Yield the key, the value and the path of each child of a value."""
    if depth > _DEEPEST:
        return
    if value.__class__ is dict:
        # The keys of error reports come first, in the order of their declaration.
        for key in [*(key for key in _REPORT_KEYS if key in value), *sorted(value.keys() - _REPORT_KEY_SET - _INPUTS)]:
            yield key, value[key], f"{path}.{key}" if path else key
    elif value.__class__ is list:
        for number, child in enumerate(value):
            if child.__class__ in {dict, list}:
                yield "", child, f"{path}[{number}]"


def _entries(value: object, path: str) -> Iterator[tuple[object, str]]:
    """Yield the entries of a list of errors, or a single error; a count of zero yields no entry."""
    if value.__class__ is list:
        for number, entry in enumerate(value):
            if _has_text(entry) and not _is_zero(entry):
                yield entry, f"{path}[{number}]"
    elif _has_text(value) and not _is_zero(value) and value is not True:
        yield value, path


def _is_zero(value: object) -> bool:
    """Return whether a value means that there are no errors."""
    if value.__class__ is dict:
        return not value or value.get("count") == 0
    text = display(value).strip().lower()
    return text in {"0", "0.0", "none", "nil", "null", "false", "[]"} or text.startswith(("0 ", "no ", "zero "))


def _is_severe(entry: object, *, with_warnings: bool) -> bool:
    facts = _dict(entry)
    for key in ("severity", "level", "status"):
        level = facts.get(key)
        if isinstance(level, str):
            word = level.strip().lower()
            return word in _ERROR_LIKE or (with_warnings and word in _WARNING_LIKE)
    return False


def _entry(source: str, entry: object, path: str) -> Finding:
    facts = _dict(entry)
    places = [
        f" {name}={display(value)}"
        for name, keys in _PLACES
        if (value := next((facts[key] for key in keys if facts.get(key) is not None), None)) is not None
    ]
    place = "".join(places)
    return Finding(source, path + place, _message(entry), place)


def _message(entry: object) -> object:
    facts = _dict(entry)
    return next((facts[key] for key in _MESSAGES if _has_text(facts.get(key))), entry)


def _dict(value: object) -> Payload:
    return value if value.__class__ is dict else {}
