"""The elements of a TextMate grammar: rules for a match, for a region between two matches, and references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Rule = dict[str, Any]

SUFFIX = ".harn"
BRACKETS = {"{}": "braces", "()": "parens", "[]": "brackets"}


def rule(pattern: str, name: str = "", groups: Sequence[str] = ()) -> Rule:
    """Return a rule for a match, with the scope of the whole match and the scopes of its groups."""
    made: Rule = {"match": pattern}
    if name:
        made["name"] = name + SUFFIX
    if groups:
        made["captures"] = _captures(groups)
    return made


def region(
    begin: str, end: str, name: str = "", *, rules: Sequence[Rule] = (), begins: Sequence[str] = (), ends: str = ""
) -> Rule:
    """Return a rule for a region between two matches, with its scope, inner rules and the scopes of groups."""
    made: Rule = {"begin": begin, "end": end}
    if name:
        made["name"] = name + SUFFIX
    if begins:
        made["beginCaptures"] = _captures(begins)
    if ends:
        made["endCaptures"] = {"0": {"name": ends + SUFFIX}}
    made["patterns"] = list(rules)
    return made


def bracketed(pair: str, *rules: Rule) -> Rule:
    """Return a rule for a region between two brackets."""
    scope = {"0": {"name": f"punctuation.section.{BRACKETS[pair]}{SUFFIX}"}}
    edges = {"begin": rf"\{pair[0]}", "end": rf"\{pair[1]}", "beginCaptures": scope, "endCaptures": scope}
    return {**edges, "patterns": list(rules)}


def include(name: str) -> Rule:
    """Return a reference to rules of the repository."""
    return {"include": f"#{name}"}


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def _captures(scopes: Sequence[str]) -> Rule:
    return {str(number): {"name": scope + SUFFIX} for number, scope in enumerate(scopes, 1) if scope}
