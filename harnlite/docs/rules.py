"""Generation of docs/rules/: a page for each code, the same as `harnlite explain` shows, and an index."""

from __future__ import annotations

from harnlite.analysis.linting.code_selection import known_rules
from harnlite.diagnostics.explanations import explained_codes, explanation_of

FOLDER = "rules"

_HEAD = """# Lint rules

Each page describes what a code means, why it matters, and how to fix it; `harnlite explain CODE` shows the same text.
[The command line](../cli.md#linting) describes how to select, ignore and suppress codes.

| code | rule | severity | what it finds |
|---|---|---|---|
"""


def rule_pages() -> dict[str, str]:
    """Return the texts of the pages by their paths in docs/."""
    pages = {f"{FOLDER}/{code}.md": found.text for code in explained_codes() if (found := explanation_of(code))}
    return {f"{FOLDER}/README.md": _HEAD + "".join(_rows()), **pages}


def _rows() -> list[str]:
    rules = {rule.code: rule for rule in known_rules()}
    rows = []
    for code in explained_codes():
        page, rule = explanation_of(code), rules.get(code)
        if page is not None and rule is not None:
            severity = rule.severity if rule.default else f"{rule.severity}, off"
            rows.append(f"| [{code}]({code}.md) | {page.name} | {severity} | {rule.summary} |\n")
    return rows
