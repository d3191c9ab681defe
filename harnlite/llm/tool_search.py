"""The search for tools that are not offered from the start (`defer_loading`)."""

from __future__ import annotations

from math import log

from harnlite.formats.json.writing import json_text
from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.matching import compile_pattern
from harnlite.llm.offered_tools import REGISTRY, properties_of
from harnlite.llm.tokens import projected_tokens, strings_of
from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Entry = dict[str, Any]
    # the score, name and description of a tool
    Hit = tuple[float, str, object]
    Ranked = list[Hit]

VARIANTS = ("bm25", "regex", "hybrid")
MODES = ("auto", "native", "client")
DEFAULT_NAME = "__harn_tool_search"
CUSTOM = "custom"
NO_HIT = "no deferred tools matched the query; try broader terms"
_MOST_HITS = 10
_SNIPPET = 160
_K1, _B = 1.2, 0.75
_ALL_DEFERRED = (
    "tool_search: all tools have defer_loading set. At least one tool must be non-deferred so the model has somewhere "
    "to start. (Omit `defer_loading` from one tool, or list the tool in `always_loaded`.)"
)
_STRATEGY = 'tool_search.strategy: expected "bm25" | "regex" | "hybrid"'


class SearchSettings:
    """The settings of the tool search of a call."""

    __slots__ = ("always_loaded", "budget_tokens", "mode", "name", "scorer", "strategy", "variant")

    def __init__(self, given: dict[str, Any]) -> None:
        self.variant = _choice("variant", given.get("variant", "bm25"), VARIANTS, '"bm25", "regex", or "hybrid"')
        self.mode = _choice("mode", given.get("mode", "auto"), MODES, '"auto" | "native" | "client"')
        self.strategy, self.scorer = _read_strategy(given.get("strategy"), self.variant)
        name = given.get("name")
        self.name = name if isinstance(name, str) and name else DEFAULT_NAME
        loaded = given.get("always_loaded")
        self.always_loaded = (
            frozenset(item for item in loaded if isinstance(item, str)) if isinstance(loaded, list) else frozenset()
        )
        budget = given.get("budget_tokens")
        self.budget_tokens: int | None = budget if budget.__class__ is int else None
        if self.scorer is not None and self.mode == "native":
            raise thrown('tool_search.strategy: custom scorers are client-only; set mode: "client" or "auto"')

    def is_client(self, flags: dict[str, object], *, forced_native: bool = False) -> bool:
        """Return whether harnlite performs the search itself, given the flags of the model (`flags_of`)."""
        if self.scorer is not None or self.mode == "client":
            return True
        if self.mode == "native" or forced_native:
            return False
        variants = flags.get("tool_search")
        return not (isinstance(variants, list) and self.variant in variants)

    def is_deferred(self, entry: Entry) -> bool:
        """Return whether a tool is not offered until a search finds it."""
        return entry.get("defer_loading") is True and entry.get("name") not in self.always_loaded


def _read_strategy(value: object, variant: str) -> tuple[str, Callable[..., object] | None]:
    """Return the name of a strategy, and the closure that implements it or None."""
    if value is None:
        return variant, None
    handler: Any = value.get("handler") if isinstance(value, dict) else value
    if is_callable(handler):
        return CUSTOM, handler
    if not isinstance(value, str):
        raise thrown(f"{_STRATEGY}, a scorer closure, or {{handler: closure}}")
    if value not in VARIANTS:
        raise thrown(f'{_STRATEGY}, got "{value}"')
    return value, None


def _choice(key: str, value: object, known: Sequence[str], expected: str) -> str:
    if isinstance(value, str) and value in known:
        return value
    raise thrown(f'tool_search.{key}: expected {expected}, got "{display(value)}"')


def search_settings(value: object, entries: Sequence[Entry]) -> SearchSettings | None:
    """Return the settings in the `tool_search` option, or None if it is off; throw if its value is not valid."""
    if value is None or value is False:
        return None
    if isinstance(value, str):
        settings = SearchSettings({"variant": value})
    else:
        settings = SearchSettings(
            {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else {}
        )
    if entries and all(settings.is_deferred(entry) for entry in entries):
        raise thrown(_ALL_DEFERRED)
    return settings


def native_search_tool(settings: SearchSettings) -> dict[str, object]:
    """Return the tool with which an Anthropic model performs the search at the provider."""
    variant = "regex" if settings.variant == "regex" else "bm25"
    return {"type": f"tool_search_tool_{variant}_20251119", "name": f"tool_search_tool_{variant}"}


def natively_offered(entries: Sequence[Entry], settings: SearchSettings) -> list[Entry]:
    """Return the tools to offer to a model whose provider performs the search."""
    return [entry if settings.is_deferred(entry) else _loaded(entry) for entry in entries]


class ClientSearch:
    """The tools of a loop or call whose search harnlite performs: the offered tools and the deferred ones."""

    __slots__ = ("_deferred", "_eager", "_found", "settings")

    def __init__(self, entries: Sequence[Entry], settings: SearchSettings) -> None:
        self.settings = settings
        self._eager = [_loaded(entry) for entry in entries if not settings.is_deferred(entry)]
        self._deferred = {entry["name"]: entry for entry in entries if settings.is_deferred(entry)}
        self._found: dict[str, Entry] = {}

    def offered(self) -> list[Entry]:
        """Return the tools to offer: the eager ones, those found so far, and the search tool."""
        return [*self._eager, *self._found.values(), self.search_tool()]

    def search_tool(self) -> Entry:
        """Return the entry of the search tool."""
        return {
            "name": self.settings.name,
            "description": (
                "Searches the tools that are not listed here, by words of their names and descriptions. What it finds "
                "can be called from your next turn on."
            ),
            "parameters": {"query": {"type": "string", "description": "what the tool should do"}},
            "executor": "harn",
        }

    def promote(self, names: Sequence[str]) -> list[str]:
        """Offer these deferred tools from now on; return the names of those that were not offered before."""
        new = [name for name in dict.fromkeys(names) if name in self._deferred and name not in self._found]
        self._found.update((name, _loaded(self._deferred[name])) for name in new)
        return new

    def search(self, query: str) -> dict[str, object]:
        """Return the result of a query: `{tool_names, ranked, diagnostic}`."""
        scorer = self.settings.scorer
        if scorer is not None:
            return self._ranked_by_script(scorer, query)
        rank = _RANKERS[self.settings.strategy]
        return self._answer(rank(query, list(self._deferred.values())))

    def _ranked_by_script(self, scorer: Callable[..., object], query: str) -> dict[str, object]:
        """Rank the tools with a closure of the script."""
        registry = {"_type": REGISTRY, "tools": [*self._deferred.values()]}
        answer = scorer(query, registry, {"variant": self.settings.variant})
        diagnostic = answer.get("diagnostic") if isinstance(answer, dict) else None
        if isinstance(answer, dict):
            answer = answer.get("ranked") or answer.get("tool_names")
        listed = answer if isinstance(answer, list) else []
        hits = [_hit(item) for item in listed]
        return self._answer([self._described(*hit) for hit in hits if hit[1] in self._deferred], diagnostic)

    def _described(self, score: float, name: str, snippet: object) -> Hit:
        return score, name, snippet or self._deferred[name].get("description")

    def _answer(self, ranked: Ranked, diagnostic: object = None) -> dict[str, object]:
        kept = self._within_budget(ranked[:_MOST_HITS])
        return {
            "tool_names": [name for _score, name, _snippet in kept],
            "ranked": [
                {"tool_name": name, "score": score, "snippet": _shortened(snippet)} for score, name, snippet in kept
            ],
            "diagnostic": diagnostic if kept or diagnostic is not None else NO_HIT,
        }

    def _within_budget(self, ranked: Ranked) -> Ranked:
        """Return the best hits that fit into the token budget."""
        left = self.settings.budget_tokens
        if left is None:
            return ranked
        kept: Ranked = []
        for hit in ranked:
            left -= projected_tokens(
                strings_of({key: self._deferred[hit[1]].get(key) for key in ("description", "parameters")})
            )
            if left < 0:
                break
            kept.append(hit)
        return kept

    def query_event(self, call_id: str, query: str) -> dict[str, object]:
        """Return the fields of a `tool_search_query` event."""
        strategy = self.settings.strategy
        return {
            "tool_use_id": call_id,
            "name": f"tool_search_tool_{strategy}",
            "query": query,
            "strategy": strategy,
            "mode": "client",
        }

    def result_event(self, call_id: str, promoted: Sequence[str]) -> dict[str, object]:
        """Return the fields of a `tool_search_result` event."""
        return {
            "tool_use_id": call_id,
            "promoted": list(promoted),
            "strategy": self.settings.strategy,
            "mode": "client",
        }


def _loaded(entry: Entry) -> Entry:
    """Return the entry without `defer_loading`, so that the provider does not defer the tool again."""
    if "defer_loading" not in entry:
        return entry
    return {key: value for key, value in entry.items() if key != "defer_loading"}


def _hit(item: object) -> Hit:
    """Return the hit for an item of a scorer's result: a name or `{tool_name, score, snippet}`."""
    if not isinstance(item, dict):
        return 1.0, item if isinstance(item, str) else "", None
    name, score = item.get("tool_name", item.get("name")), item.get("score")
    found = name if isinstance(name, str) else ""
    return float(score) if isinstance(score, int | float) else 1.0, found, item.get("snippet")


def result_text(result: dict[str, object]) -> str:
    """Return the result of a search as a text for the model."""
    return json_text(result)


def _shortened(value: object) -> str:
    text = display(value or "")
    return text if len(text) <= _SNIPPET else text[:_SNIPPET] + "…"


def _searched_text(entry: Entry) -> str:
    """Return the text of a tool that is searched: its name, description, namespace and parameters."""
    properties = properties_of(entry)
    parts = [entry.get("name"), entry.get("description"), entry.get("namespace")]
    for name in sorted(properties):
        value = properties[name]
        parts += [name, value.get("description") if isinstance(value, dict) else value]
    return " ".join(part for part in parts if isinstance(part, str))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; a name such as `readFile` or `read_file` counts as two words."""
    spaced = "".join(
        f" {char}" if char.isupper() and index and text[index - 1].islower() else char if char.isalnum() else " "
        for index, char in enumerate(text)
    )
    return spaced.lower().split()


def _bm25(query: str, entries: list[Entry]) -> Ranked:
    """Rank tools by Okapi BM25."""
    documents = [words_of(_searched_text(entry)) for entry in entries]
    average = sum(map(len, documents)) / len(documents) if documents else 0.0
    scores = [0.0] * len(entries)
    for word in dict.fromkeys(words_of(query)):
        counts = [document.count(word) for document in documents]
        holders = sum(1 for count in counts if count)
        weight = log(1 + (len(entries) - holders + 0.5) / (holders + 0.5))
        for index, count in enumerate(counts):
            if count:
                length = 1 - _B + _B * len(documents[index]) / (average or 1.0)
                scores[index] += weight * count * (_K1 + 1) / (count + _K1 * length)
    return _best_first(scores, entries)


def _best_first(scores: Sequence[float], entries: list[Entry]) -> Ranked:
    hits: Ranked = [
        (score, entry["name"], entry.get("description"))
        for score, entry in zip(scores, entries, strict=True)
        if score > 0
    ]
    return sorted(hits, key=lambda hit: -hit[0])


def _by_pattern(query: str, entries: list[Entry]) -> Ranked:
    """Rank tools by a case-insensitive regular expression; a malformed one finds nothing."""
    try:
        pattern = compile_pattern(query, "i")
    except PatternError:
        return []
    scores = [
        2.0 * pattern.found_in(str(entry["name"]), "tool_search")
        or 1.0 * pattern.found_in(_searched_text(entry), "tool_search")
        for entry in entries
    ]
    return _best_first(scores, entries)


def _hybrid(query: str, entries: list[Entry]) -> Ranked:
    """Rank tools by the sum of their BM25 and regular expression scores."""
    scores: dict[str, float] = {}
    for ranked in (_bm25(query, entries), _by_pattern(query, entries)):
        for score, name, _snippet in ranked:
            scores[name] = scores.get(name, 0.0) + score
    return _best_first([scores.get(entry["name"], 0.0) for entry in entries], entries)


_RANKERS: dict[str, Callable[[str, list[Entry]], Ranked]] = {"bm25": _bm25, "regex": _by_pattern, "hybrid": _hybrid}
