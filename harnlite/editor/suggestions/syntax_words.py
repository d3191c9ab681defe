"""The keywords that can be suggested at a cursor."""

from __future__ import annotations

import re

from harnlite.editor.hovers import keywords
from harnlite.editor.suggestions.suggestion import KEY, WORD, Kind, Suggestion
from harnlite.options.expected import expected_at
from harnlite.syntax import nodes
from harnlite.syntax.tokens import KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.suggestions.glimpse import Glimpse

_STATEMENT_START = re.compile(r"(?:^|[;{]|->)[ \t]*\Z")
_OPERAND_END = re.compile(r"[\w)\]}\"][ \t]+\Z")
_NEXT_WORDS = (
    (re.compile(r"\bimport\b[^}]*\}\s*\Z"), ("from",)),
    (re.compile(r"\bfor\b(?:(?!\bin\b)[^{])*\Z"), ("in",)),
    (re.compile(r"\bpipeline\b[^{]*\Z"), ("extends",)),
    (re.compile(r"\bfn\b[^{]*\)[^{]*\Z"), ("where",)),
    (re.compile(r"\bparallel\b[^{}]*\Z"), ("with",)),
    (re.compile(r"\bparallel\b.*\}\s*\Z"), ("as",)),
    (re.compile(r"\}\s*else\b.*\}\s*\Z"), ()),
    (re.compile(r"(?:\bif\b.*|\A\s*)\}\s*\Z"), ("else", "catch", "finally")),
    (re.compile(r"\b(?:try|catch)\b.*\}\s*\Z"), ("catch", "finally")),
    (re.compile(r"\bguard\b[^{]*\Z"), ("else", "in", "not in")),
    (re.compile(r"\bto\b[^{]*\Z"), ("exclusive",)),
)
"""Patterns of lines up to the cursor, with the keywords that may come next."""
_CARRY_ON = ("in", "not in", "to")
_ONLY = {
    "gen": ("fn",),
    "pub": ("fn", "gen", "struct", "enum", "interface", "type", "tool", "skill", "pipeline", "import"),
}
"""Keywords that only certain keywords can follow."""
_SKILL = re.compile(r"\bskill\s+\w+\s*\Z")
_FARTHEST = 100


def line_before(glimpse: Glimpse) -> str:
    """Return the line up to the word at the cursor."""
    text, start = glimpse.document.text, glimpse.place.start
    return text[text.rfind("\n", 0, start) + 1 : start]


def words_alone(glimpse: Glimpse) -> Sequence[str] | None:
    """Return the keywords for the cursor if nothing but keywords is possible there."""
    before, line = glimpse.place.previous[-1], line_before(glimpse)
    if before in _ONLY:
        return _ONLY[before]
    if not _OPERAND_END.search(line) or before in KEYWORDS:
        return None
    return next((words for pattern, words in _NEXT_WORDS if pattern.search(line)), _CARRY_ON)


def keyword(word: str, rank: int = WORD) -> Suggestion:
    """Return the suggestion for a keyword."""
    return Suggestion(word, Kind.Keyword, rank, doc=keywords.keyword_texts().get(word, keywords.keyword_texts()["not"]))


def begins_statement(glimpse: Glimpse) -> bool:
    """Return whether a statement can start at the cursor."""
    frame = glimpse.place.frames[-1]
    return _STATEMENT_START.search(line_before(glimpse)) is not None and not frame.is_dict and frame.before != "$"


def keywords_at(glimpse: Glimpse, *, starts: bool) -> Iterator[Suggestion]:
    """Yield the keywords for the start of an expression or a statement."""
    before = glimpse.place.previous[-1]
    if before == "parallel":
        yield from (keyword(word, KEY) for word in sorted(keywords.AFTER_PARALLEL))
    found = set(_of_statements(glimpse, before)) if starts else set(keywords.VALUES)
    yield from (keyword(word) for word in sorted(found))


def _of_statements(glimpse: Glimpse, before: str) -> Iterator[str]:
    yield from keywords.STATEMENTS
    if len(glimpse.place.frames) == 1:
        yield from keywords.AT_TOP
    if any(isinstance(node, (nodes.ForStmt, nodes.WhileStmt)) for node in glimpse.way):
        yield from keywords.IN_LOOP
    if glimpse.place.frames[-1].before == "select":
        yield from keywords.IN_SELECT
    if before == "}":
        yield from ("else", "catch", "finally")


def fields_at(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the fields of a skill."""
    place = glimpse.place
    text, end = glimpse.document.text, place.frames[-1].start
    if place.frames[-1].sign == "{" and _SKILL.search(text, max(end - _FARTHEST, 0), end):
        for key, option in expected_at("skill_define", 2).keys.items():
            yield Suggestion(key, Kind.Property, KEY, detail=option.type, doc=option.text, insert=f"{key} ")


def description_at(glimpse: Glimpse) -> Suggestion | None:
    """Return the `description` line of a tool that does not have one yet."""
    blocks = [node for node in glimpse.way if isinstance(node, (nodes.Block, nodes.ToolDecl))]
    tool = blocks[-2] if len(blocks) > 1 else None
    if isinstance(tool, nodes.ToolDecl) and tool.body is blocks[-1] and tool.description is None:
        doc = "The description of the tool for models."
        return Suggestion("description", Kind.Keyword, KEY, doc=doc, insert='description "$1"$0', snippet=True)
    return None
