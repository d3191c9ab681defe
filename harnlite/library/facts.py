"""Builtins that store and recall facts, for scripts and for std/agent/fact."""

from __future__ import annotations

from harnlite.library.argument_types import text_argument
from harnlite.library.memory import forget_records, namespace_of, require_reading, rfc3339_time, store_record
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.store.fact_selection import selection_of
from harnlite.store.facts import (
    NAMESPACES,
    claims_the_same,
    confidence_of,
    fact_in,
    fact_key,
    fact_of,
    fact_tags,
    fault,
    kind_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.facts import Fact

    Options: TypeAlias = dict[str, Any]

_PROJECT = "project"
_LIMIT, _SEARCH_FACTOR, _MAX_SEARCHED = 5, 4, 400


def _options(function: str, value: object) -> Options:
    """Return the options of a function; a scope alone is accepted instead of a dict."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {"scope": value}
    if not isinstance(value, dict):
        raise fault(1, f"{function} options must be a dict")
    return value


def _namespace(options: Options) -> str:
    for name in ("namespace", "scope"):
        given = options.get(name)
        if isinstance(given, str) and given.strip():
            return NAMESPACES.get(given.strip(), given.strip())
    return NAMESPACES[_PROJECT]


def _fact(run: Execution, function: str, value: object, options: object) -> tuple[Fact, Options]:
    chosen = _options(function, options)
    if isinstance(value, dict) and value.get("provenance") is None and chosen.get("provenance") is not None:
        value = {**value, "provenance": chosen["provenance"]}
    return fact_of(value, rfc3339_time(run, chosen)), chosen


# Making facts


@native("__host_fact")
def fact(run: Execution, given: object = None, options: object = None) -> Fact:
    """Return a fact in its normalized form."""
    return _fact(run, "fact", given, options)[0]


@native("__host_fact_validate")
def fact_validate(value: object = None) -> Fact:
    """Return a fact if it is complete, or throw."""
    return fact_of(value)


@native("__host_fact_id")
def fact_id_of(run: Execution, given: object = None) -> str:
    """Return the id of a fact."""
    known: str = _fact(run, "fact_id", given, None)[0]["id"]
    return known


@native("__host_fact_key")
def fact_key_of(run: Execution, given: object = None) -> str:
    """Return the key of a fact in memory."""
    return fact_key(_fact(run, "fact_key", given, None)[0])


@native("__host_fact_tags")
def fact_tags_of(run: Execution, given: object = None) -> list[str]:
    """Return the tags of a fact in memory."""
    return fact_tags(_fact(run, "fact_tags", given, None)[0])


@native("__host_fact_namespace")
def fact_namespace(scope: object = None) -> str:
    """Return the namespace of a scope."""
    return _namespace(_options("fact_namespace", scope))


# Storing facts


@native("store_fact")
def store_fact(run: Execution, given: object = None, options: object = None) -> dict[str, object]:
    """Store a fact and return its record. The fact replaces earlier ones of its kind with the same claim."""
    require(run, "state.write", "store_fact")
    made, chosen = _fact(run, "store_fact", given, options)
    chosen = {**chosen, "id": None}
    namespace = _namespace(chosen)
    known_facts = namespace_of(run, "store_fact", namespace, chosen, writes=True)
    earlier = known_facts.ids_of(lambda known: claims_the_same(known, made))
    record = store_record(run, "store_fact", namespace, (fact_key(made), made, fact_tags(made)), chosen)
    if earlier:
        # The new record is stored first, so that the claim is never lost, and only what was older is removed.
        meant = {"kind": made["kind"], "claim": made["claim"]}
        forget_records(run, "store_fact", namespace, (meant, lambda known: known["id"] in earlier), chosen)
    return record


@native("__host_store_fact")
def store_fact_of_module(run: Execution, given: object = None, options: object = None) -> dict[str, object]:
    """Store a fact for std/agent/fact."""
    return store_fact(run, given, options)


@native("recall_facts")
def recall_facts(
    run: Execution, query: object = None, kind: object = None, min_confidence: object = None, scope: object = None
) -> list[object]:
    """Return the facts that match a query, best first, followed by the other facts, newest first."""
    wanted = text_argument("recall_facts", "query", query)
    require(run, "state.read", "recall_facts")
    chosen = _options("recall_facts", scope)
    kinds = None if kind is None else [kind_of(item) for item in (kind if isinstance(kind, list) else [kind])]
    threshold = 0 if min_confidence is None else confidence_of(min_confidence)
    limit = _count(chosen.get("limit"), _count(chosen.get("k"), _LIMIT))
    searched = min(_count(chosen.get("recall_limit"), _SEARCH_FACTOR * limit), _MAX_SEARCHED)
    found: list[object] = []
    namespace = _namespace(chosen)
    hits = namespace_of(run, "recall_facts", namespace, chosen).recall(wanted, searched, with_unscored=True)
    for record, score in hits:
        known = fact_in(record)
        if known is None or known["confidence"] < threshold or (kinds is not None and known["kind"] not in kinds):
            continue
        found.append(
            {
                **known,
                "score": score,
                "memory_record_id": record["id"],
                "memory_key": record["key"],
                "memory_namespace": namespace,
                "stored_at": record["stored_at"],
            }
        )
    return found[:limit]


def _count(value: object, default: int) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else default


@native("__host_recall_facts")
def recall_facts_of_module(
    run: Execution, query: object = None, kind: object = None, min_confidence: object = None, scope: object = None
) -> list[object]:
    """Recall facts for std/agent/fact."""
    return recall_facts(run, query, kind, min_confidence, scope)


@native("invalidate_facts")
def invalidate_facts(run: Execution, predicate: object = None, scope: object = None) -> dict[str, object]:
    """Delete the facts that a predicate selects."""
    require(run, "state.write", "invalidate_facts")
    chosen = _options("invalidate_facts", scope)
    require_reading(run, "invalidate_facts", _namespace(chosen), chosen)
    selection = predicate, selection_of(predicate)
    return forget_records(run, "invalidate_facts", _namespace(chosen), selection, chosen)


@native("__host_invalidate_facts")
def invalidate_facts_of_module(run: Execution, predicate: object = None, scope: object = None) -> dict[str, object]:
    """Delete facts for std/agent/fact."""
    return invalidate_facts(run, predicate, scope)
