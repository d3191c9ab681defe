"""Matching of skills with a user's request: by keywords, by skill ids, and by file paths."""

from __future__ import annotations

from fnmatch import fnmatchcase

from harnlite.agent.option_values import names_in
from harnlite.agent.skills.catalog import description_of, id_of, is_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Entry = dict[str, Any]

_SHORTEST = 3
_SATURATION, _NAMED, _PER_GLOB = 1.5, 2.0, 1.5
_STOP_WORDS = frozenset(
    {
        "the", "and", "for", "are", "but", "not", "you", "all", "any", "can", "had", "her", "was", "one", "our", "out",
        "has", "him", "his", "how", "its", "let", "may", "new", "now", "old", "see", "two", "way", "who", "did", "get",
        "got", "use", "this", "that", "with", "have", "from", "they", "will", "would", "there", "their", "what", "when",
        "where", "which", "while", "your", "about", "into", "them", "then", "than", "some", "such", "only", "also",
        "been", "were", "just", "like", "more", "most", "much", "very", "please", "should", "could",
    }
)  # fmt: skip


class Candidate:
    """A skill with its match score and the reason for the score."""

    __slots__ = ("entry", "score", "trigger")

    def __init__(self, entry: Entry, score: float, trigger: str) -> None:
        self.entry = entry
        self.score = score
        self.trigger = trigger

    def as_dict(self) -> dict[str, object]:
        """Return the candidate as a dict for the event about a skill match."""
        return {
            "id": id_of(self.entry),
            "name": self.entry["name"],
            "score": self.score,
            "trigger": self.trigger,
            "reason": self.trigger,
        }


def tokens(text: str) -> list[str]:
    """Return the distinct lower-case words (letters and digits only) with at least three characters."""
    spaced = "".join([char if char.isalnum() else " " for char in text.lower()])
    return list(dict.fromkeys(word for word in spaced.split() if len(word) >= _SHORTEST))


def query_tokens(text: str) -> list[str]:
    """Return the words of a query that are not stop words."""
    return [word for word in tokens(text) if word not in _STOP_WORDS]


def candidates(entries: Sequence[Entry], query: str, files: Sequence[str]) -> list[Candidate]:
    """Return the skills with a positive score, the highest score first."""
    words = query_tokens(query)
    found = [_scored(entry, words, files) for entry in entries if not is_hidden(entry)]
    return sorted((one for one in found if one.score > 0), key=lambda one: (-one.score, id_of(one.entry)))


def _scored(entry: Entry, words: list[str], files: Sequence[str]) -> Candidate:
    when = entry.get("when_to_use")
    texts = (description_of(entry), when if isinstance(when, str) else "")
    hits = sum(word in known for known in map(_word_set, texts) for word in words)
    score, triggers = 0.0, []
    if hits:
        score += hits / (hits + _SATURATION)
        triggers.append(f"{hits} keyword hit(s)")
    named = tokens(id_of(entry))
    if named and set(named) <= set(words):
        score += _NAMED
        triggers.append(f"task mentions '{id_of(entry)}'")
    globs = entry.get("paths")
    matched = sum(any(fits_path(glob, file) for file in files) for glob in names_in(globs))
    if matched:
        score += _PER_GLOB * matched
        triggers.append(f"{matched} path glob(s) matched")
    return Candidate(entry, score, "; ".join(triggers))


def _word_set(text: str) -> set[str]:
    return set(tokens(text))


def fits_path(glob: str, path: str) -> bool:
    """Return whether a path matches a glob: `*` and `?` match within one path component, `**` matches any number."""
    return _matches(glob.removeprefix("./").split("/"), path.removeprefix("./").split("/"))


def _matches(globs: list[str], parts: list[str]) -> bool:
    # The lengths of the path prefixes that the components of the glob so far can match.
    ends = {0}
    for glob in globs:
        if glob == "**":
            ends = set(range(min(ends), len(parts) + 1)) if ends else ends
        else:
            ends = {end + 1 for end in ends if end < len(parts) and fnmatchcase(parts[end], glob)}
    return len(parts) in ends
