"""Redaction: the JSON form of a value with its secrets replaced."""

from __future__ import annotations

from harnlite.known_keys import REDACTED, added_keys, environment_keys, forms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

# The names of secret values

_SECRET_WORDS = (
    "api_key",
    "apikey",
    "access_key",
    "secret_key",
    "private_key",
    "signing_key",
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "authorization",
    "credential",
    "credentials",
    "cookie",
)
_SECRET_ENDS = frozenset(end for word in _SECRET_WORDS for end in (word[-3:], word[-3:].upper(), word[-3:].title()))
_SCHEMES = frozenset({"basic", "bearer"})


def is_secret_name(name: str) -> bool:
    """Return whether a key names a secret: `api_key`, `accessToken` and `DB-PASSWORD` do, `max_tokens` does not."""
    if name[-3:] not in _SECRET_ENDS:
        return False
    plain = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name) if name != name.upper() else name
    plain = "_" + plain.lower().replace("-", "_").replace(".", "_")
    return plain.endswith(tuple(f"_{word}" for word in _SECRET_WORDS))


# Texts that contain secrets

_HINTS = (
    *("secret", "token", "credential", "cookie", "authorization", "bearer ", "basic ", "-----begin", "eyj", "://"),
    *("sk-", "github_pat_", "glpat-", "xox", "aiza", "ya29.", "sg.", "hf_", "npm_", "pypi-"),
)
_KEY_HINTS = ("api_key", "apikey", "api-key", "access_key", "accesskey", "private_key", "privatekey", "signing_key")
_SHARED_HINTS = {
    "key": _KEY_HINTS,
    "pass": ("passw", "passphrase"),
    "k_": ("k_live_", "k_test_", "gsk_"),
    "gh": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    "ia": ("akia", "asia"),
}
"""Hints by what they have in common, so that most texts are searched for that only."""
_RAREST_FIRST = "zqxj/-.vkbwypfgcumhdlrnsiaote0123456789:_ "
"""The characters that most texts contain, in reverse order of their frequency."""
_SHORTEST = 6
"""No secret is shorter."""
_LONGEST_KEPT, _MOST_KEPT = 200, 1_000


def _rarest(hint: str) -> str:
    return min(hint, key=_RAREST_FIRST.find)


def _by_rarest(hints: Iterable[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return hints by the rarest character of each: most texts lack most of these, and that is quick to see."""
    found: dict[str, list[str]] = {}
    for hint in hints:
        found.setdefault(_rarest(hint), []).append(hint)
    return tuple((sign, tuple(listed)) for sign, listed in found.items())


def _not_made(_: bytes) -> object:
    """Stand for the search that the first use makes."""


class Redactor:
    """Replaces secrets: texts that look like one, values with a secret name, and known keys.

    Keys that the process learns later, such as the output of a command, are known from then on.
    """

    __slots__ = ("_added", "_by_rarest", "_forms", "_given", "_harmless", "_hints", "_search", "_write")

    def __init__(self, keys: tuple[str, ...] = ()) -> None:
        self._given = keys
        self._search: Callable[..., Any] | None = _not_made
        self._write: Callable[[object], str] | None = None
        """The function that writes JSON; a run that writes none does not load it."""
        self._learn(added_keys())

    def _learn(self, added: tuple[str, ...]) -> None:
        self._added = added
        keys = sorted({*self._given, *added}, key=len, reverse=True)
        self._forms = tuple(dict.fromkeys(form for key in keys for form in (*forms_of(key), *_in_json(key))))
        self._hints = (*_HINTS, *_SHARED_HINTS, *{form.lower() for form in self._forms})
        self._by_rarest = _by_rarest(self._hints)
        self._harmless: set[str] = set()
        """Short texts that contain the hint of a secret, but no secret."""

    def may_find(self, text: str) -> bool:
        """Return whether a text, or the JSON of a value, contains any hint of a secret."""
        if self._added is not added_keys():
            self._learn(added_keys())
        lower = text.lower()
        for sign, hints in self._by_rarest:
            if sign in lower:
                for hint in hints:  # a generator would cost as much as the search
                    if hint in lower:
                        rest = _SHARED_HINTS.get(hint)
                        if rest is None or any(one in lower for one in rest):
                            return True
        return False

    def may_find_in(self, data: bytes) -> bool:
        """Return whether many texts in UTF-8, with anything else between them, contain any hint of a secret."""
        search = self._prepared()
        return self.may_find(data.decode("utf-8", "ignore")) if search is None else search(data) is not None

    def suspects(self, parts: Sequence[bytes | None]) -> Iterator[int]:
        """Yield the places of the parts that are None or may contain a hint of a secret. A part is like the above."""
        search = self._prepared()
        if search is None:
            for place, part in enumerate(parts):
                if part is None or self.may_find(part.decode("utf-8", "ignore")):
                    yield place
            return
        data = b"\n".join([part or b"" for part in parts])  # one search is faster than many short ones
        start = 0
        found = search(data)
        for place, part in enumerate(parts):
            end = start + len(part or b"") + 1
            is_hit = found is not None and found.start() < end
            if part is None or is_hit:
                yield place
            if is_hit:
                found = search(data, end)
            start = end

    def _prepared(self) -> Callable[..., Any] | None:
        """Return the search for all hints in bytes, or None if this Python has none."""
        if self._search is _not_made or self._added is not added_keys():
            from harnlite.formats.patterns.linear import word_search

            self._learn(added_keys())
            plain = [hint for hint in self._hints if hint not in _SHARED_HINTS]
            self._search = word_search([*plain, *(hint for hints in _SHARED_HINTS.values() for hint in hints)])
        return self._search

    def text(self, text: str) -> str:
        """Return a text with its secrets replaced."""
        if len(text) < _SHORTEST or not self.may_find(text):
            return text
        harmless = self._harmless  # before the forms, which another thread may replace meanwhile
        if text in harmless:
            return text
        left = text
        for form in self._forms:
            left = left.replace(form, REDACTED)
        from harnlite.store.secret_patterns import replace_secrets

        left = replace_secrets(left, REDACTED)
        if left == text and len(text) <= _LONGEST_KEPT:
            if len(harmless) >= _MOST_KEPT:
                harmless.clear()
            harmless.add(text)
        return left

    def value(self, value: object) -> Any:  # noqa: ANN401 - any JSON value
        """Return the JSON form of a value as plain Python, with its secrets replaced."""
        kind = value.__class__
        if kind is str:
            return self.text(value)  # type: ignore[arg-type]  # `kind` is read once: this is a hot path
        if kind in _PLAIN:
            return value
        if kind is float:
            return value if value - value == 0 else None  # type: ignore[operator]  # `kind` is read once: this is a hot path
        if kind is dict:
            return self._entries(value)  # type: ignore[arg-type]  # `kind` is read once: this is a hot path
        if kind is list:
            return [self.value(item) for item in value]  # type: ignore[attr-defined]  # `kind` is read once: this is a hot path
        return self._through_json(value)

    def within(self, value: object) -> object:
        """Return a value of a script with its secrets replaced; values other than texts, lists and dicts stay."""
        kind = value.__class__
        if kind is str:
            return self.text(value)  # type: ignore[arg-type]  # `kind` is read once: this is a hot path
        if kind is list:
            return [self.within(item) for item in value]  # type: ignore[attr-defined]  # `kind` is read once: this is a hot path
        if kind is dict:
            entries: dict[str, object] = value  # type: ignore[assignment]  # `kind` is read once: this is a hot path
            return {
                key: self._hidden(item) if is_secret_name(key) else self.within(item) for key, item in entries.items()
            }
        return value

    def json(self, value: object) -> str:
        """Return the JSON text of a value with its secrets replaced."""
        write = self._write
        if write is None:
            from harnlite.formats.json.writing import data_text

            write = self._write = data_text
        text = write(value)
        if not self.may_find(text):
            return text
        from harnlite.formats.json.writing import json_text

        return json_text(self.value(value))

    def _entries(self, entries: dict[str, object]) -> dict[str, object]:
        return {
            key: self._hidden(value) if is_secret_name(key) else self.value(value) for key, value in entries.items()
        }

    def _hidden(self, value: object) -> object:
        """Return the redacted value of a secret name. An authentication scheme in front of the secret is kept."""
        if isinstance(value, str):
            scheme, _, secret = value.partition(" ")
            kept = f"{scheme} " if secret and scheme.lower() in _SCHEMES else ""
            return kept + REDACTED if value else value
        if isinstance(value, list):
            return [self._hidden(item) for item in value]
        if isinstance(value, dict):
            return {key: self._hidden(item) for key, item in value.items()}
        return self.value(value)

    def _through_json(self, value: object) -> object:
        """Convert a value that JSON lacks to JSON and back."""
        from harnlite.formats.json.reading import read_json
        from harnlite.formats.json.writing import data_text

        text = data_text(value)
        return None if text == "null" else self.value(read_json(text))


def _in_json(key: str) -> tuple[str, ...]:
    """Return the form of a key in JSON, if `forms_of` does not contain it."""
    if key.isascii() and key.isprintable():
        return ()
    from harnlite.formats.json.writing import json_text

    return (json_text(key)[1:-1],)


def redactor_of(run: Execution) -> Redactor:
    """Return the redactor of a run, which knows the keys in the environment."""
    return run.state("redactor", lambda: Redactor(environment_keys()))


_PLAIN = frozenset({type(None), bool, int})
