"""The predicates of `invalidate_facts`."""

from __future__ import annotations

from harnlite.store.facts import evidence_kind, fact_in, fault, kind_of
from harnlite.store.ranking import terms_of
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from harnlite.store.facts import Fact
    from harnlite.store.memory import MemoryRecord

    Test: TypeAlias = Callable[[MemoryRecord, Fact], bool]

_WHAT = "invalidate_facts"
_ID_START = "fact_"


def selection_of(predicate: object) -> Callable[[MemoryRecord], bool]:
    """Return the test for a predicate. A record matches if it contains a fact that fits all given fields."""
    tests = _tests_of(predicate)

    def is_meant(record: MemoryRecord) -> bool:
        fact = fact_in(record)
        return fact is not None and all(test(record, fact) for test in tests)

    return is_meant


def _tests_of(predicate: object) -> list[Test]:
    if predicate is None:
        raise fault(8, f"{_WHAT} predicate is required")
    if predicate.__class__ is str:
        text = display(predicate).strip()
        if not text:
            raise fault(8, f"{_WHAT} predicate must be non-empty")
        return [_by_id(text) if text.startswith(_ID_START) else _by_query(text)]
    if predicate.__class__ is not dict:
        raise fault(8, f"{_WHAT} predicate must be a string or dict")
    given: dict[str, Any] = predicate
    tests = [make(given[name]) for name, make in _FIELDS.items() if given.get(name) is not None]
    if not tests:
        raise fault(8, f"{_WHAT} predicate matched no supported fields")
    return tests


def _texts(value: object) -> list[str]:
    return [display(item) for item in value] if isinstance(value, list) else [display(value)]


def _by_id(value: object) -> Test:
    ids = _texts(value)
    return lambda _, fact: fact["id"] in ids


def _by_key(value: object) -> Test:
    keys = _texts(value)
    return lambda record, _: record["key"] in keys


def _by_kind(value: object) -> Test:
    kinds = [kind_of(item) for item in (value if isinstance(value, list) else [value])]
    return lambda _, fact: fact["kind"] in kinds


def _by_claim(value: object) -> Test:
    text = display(value).strip().lower()
    return lambda _, fact: text in fact["claim"].lower()


def _by_query(value: object) -> Test:
    terms = set(terms_of(display(value)))
    return lambda _, fact: not terms.isdisjoint(terms_of(_text_of(fact)))


def _text_of(fact: Fact) -> str:
    parts = [fact["claim"], fact["kind"]]
    for evidence in fact["evidence"]:
        parts += [evidence["ref"], evidence.get("snippet", "")]
    return "\n".join(parts)


def _by_tags(value: object) -> Test:
    tags = set(_texts(value))
    return lambda record, _: not tags.isdisjoint(record["tags"])


def _by_ref(value: object) -> Test:
    refs = _texts(value)
    return lambda _, fact: any(evidence["ref"] in refs for evidence in fact["evidence"])


def _by_evidence(value: object) -> Test:
    if value.__class__ not in {str, dict, list}:
        raise fault(8, f"{_WHAT} evidence must be a string, dict, or list")
    wanted = [_wanted(entry) for entry in (value if isinstance(value, list) else [value])]

    def has_some(_: MemoryRecord, fact: Fact) -> bool:
        return any(fits(evidence) for fits in wanted for evidence in fact["evidence"])

    return has_some


def _wanted(entry: object) -> Callable[[Fact], bool]:
    if entry.__class__ is str:
        kind, ref = evidence_kind(entry), display(entry)
        return lambda evidence: evidence["ref"] == ref or evidence["kind"] == kind
    if entry.__class__ is not dict:
        raise fault(8, f"{_WHAT} evidence entries must be strings or dicts")
    given: dict[str, Any] = entry
    parts = {name: given[name] for name in ("kind", "ref") if given.get(name) is not None}
    if not parts:
        raise fault(8, f"{_WHAT} evidence requires kind or ref")
    if "kind" in parts:
        parts["kind"] = evidence_kind(parts["kind"])
    return lambda evidence: all(evidence[name] == value for name, value in parts.items())


_FIELDS: dict[str, Callable[[object], Test]] = {
    "id": _by_id,
    "key": _by_key,
    "kind": _by_kind,
    "claim": _by_claim,
    "query": _by_query,
    "tag": _by_tags,
    "tags": _by_tags,
    "evidence_ref": _by_ref,
    "evidence": _by_evidence,
}
