"""Diagnostics as SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

import os

from harnlite.diagnostics.diagnostic import ERROR
from harnlite.diagnostics.explanations import explanation_of
from harnlite.diagnostics.render_json import dumps, place
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnlite.diagnostics.diagnostic import Diagnostic, Edit, Fix
    from harnlite.diagnostics.source import Source, Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://pypi.org/project/harnlite/"
_WITHOUT_CODE = "harnlite"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:  # noqa: ARG001 - all renderers have the same signature
    """Return the JSON text of a log with one run."""
    found = list(diagnostics)
    severities = {one.code or _WITHOUT_CODE: one.severity for one in reversed(found)}
    codes = sorted(severities)
    run = {
        "tool": {
            "driver": {
                "name": "harnlite",
                "version": VERSION,
                "informationUri": _HOME,
                "rules": [_rule(code, severities[code]) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, codes.index(one.code or _WITHOUT_CODE)) for one in found],
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _level(severity: str) -> str:
    return "error" if severity == ERROR else "warning"


def _rule(code: str, severity: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": code, "defaultConfiguration": {"level": _level(severity)}}
    page = explanation_of(code)
    if page is not None:
        rule["name"] = page.name
        rule["shortDescription"] = {"text": page.summary}
        rule["help"] = {"text": page.text, "markdown": page.text}
    return rule


def _result(one: Diagnostic, index: int) -> dict[str, Any]:
    advice = "".join(f"\nhelp: {text}" for text in one.help)
    result: dict[str, Any] = {
        "ruleId": one.code or _WITHOUT_CODE,
        "ruleIndex": index,
        "level": _level(one.severity),
        "message": {"text": one.message + advice},
        "locations": [_location(one.source, one.span)],
    }
    if one.labels:
        result["relatedLocations"] = [
            {**_location(label.source or one.source, label.span), "message": {"text": label.message}}
            for label in one.labels
        ]
    if one.fixes:
        result["fixes"] = [_fix(fix, one.source) for fix in one.fixes]
    return result


def _location(source: Source, span: Span) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(source), "region": _region(source, span)}}


def _artifact(source: Source) -> dict[str, str]:
    path = source.name.replace(os.sep, "/")
    quoted = "".join(
        char if char in _PLAIN else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace")) for char in path
    )
    return {"uri": f"file://{quoted}" if path.startswith("/") else quoted}


def _region(source: Source, span: Span) -> dict[str, object]:
    where = place(source, span)
    return {
        "startLine": where["line"],
        "startColumn": where["column"],
        "endLine": where["end_line"],
        "endColumn": where["end_column"],
    }


def _fix(fix: Fix, source: Source) -> dict[str, Any]:
    changes = {
        "artifactLocation": _artifact(source),
        "replacements": [_replacement(edit, source) for edit in fix.edits],
    }
    return {"description": {"text": fix.message}, "artifactChanges": [changes]}


def _replacement(edit: Edit, source: Source) -> dict[str, Any]:
    return {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.text}}
