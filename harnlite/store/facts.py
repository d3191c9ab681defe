"""Facts: claims with evidence, stored as records of memory."""

from __future__ import annotations

from harnlite.digests import sha256
from harnlite.formats.json.writing import json_text
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from harnlite.store.memory import MemoryRecord

    Fact: TypeAlias = dict[str, Any]

SCHEMA = "harn.fact.v1"
KINDS = ("observation", "claim", "hypothesis", "decision", "constraint")
EVIDENCE_KINDS = ("trace_ref", "file_range", "tool_output", "user_input")
NAMESPACES = {"project": "project/facts", "workspace": "workspace/facts", "user": "user/facts"}
_WORDS = {kind.replace("_", ""): kind for kind in EVIDENCE_KINDS}
_ID_DIGITS = 32


def fault(number: int, text: str) -> ScriptError:
    """Return the error for an invalid fact."""
    return thrown(f"HARN-FACT-{number:03d}: std/agent/fact: {text}")


def _is_blank(value: object) -> bool:
    return value is None or not display(value).strip()


def _normal(value: object) -> str:
    return "" if value is None else display(value).strip().lower().replace("-", "_")


def kind_of(value: object) -> str:
    """Check the kind of a fact and return its stored form."""
    if _is_blank(value):
        raise fault(2, "kind is required")
    kind = _normal(value)
    if kind not in KINDS:
        raise fault(2, f"unknown kind `{display(value)}`")
    return kind


def confidence_of(value: object) -> float:
    """Check a confidence and return it."""
    if value is None:
        raise fault(4, "confidence is required")
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise fault(4, "confidence must be a number in [0, 1]")
    if not 0 <= value <= 1:
        raise fault(4, "confidence must be in [0, 1]")
    return value


def evidence_kind(value: object) -> str | None:
    """Return the stored form of a kind of evidence, or None if it is unknown."""
    kind = _normal(value)
    if kind in EVIDENCE_KINDS:
        return kind
    return _WORDS.get(kind.replace("_", ""))


def _evidence_of(value: object) -> list[Fact]:
    if value is None:
        return []
    if value.__class__ is not list:
        raise fault(5, "evidence must be a list")
    found = []
    for entry in value:
        if entry.__class__ is not dict:
            raise fault(5, "evidence entries must be dicts")
        kind = evidence_kind(entry.get("kind"))
        if kind is None:
            named = entry.get("kind")
            raise fault(5, f"unknown evidence.kind `{'' if named is None else display(named)}`")
        if _is_blank(entry.get("ref")):
            raise fault(5, "evidence.ref is required")
        kept: Fact = {"kind": kind, "ref": display(entry["ref"])}
        if entry.get("snippet") is not None:
            kept["snippet"] = display(entry["snippet"])
        found.append(kept)
    return found


def _valid_until_of(value: object) -> Fact | None:
    if value is None:
        return None
    if value.__class__ is not dict:
        raise fault(7, "valid_until must be a dict")
    limit: Fact = value
    for name in ("event", "asserted_at"):
        if _is_blank(limit.get(name)):
            raise fault(7, f"valid_until.{name} is required")
    return limit


def _dict_of(value: object, number: int, name: str) -> Fact:
    if value is None:
        return {}
    if value.__class__ is not dict:
        raise fault(number, f"{name} must be a dict")
    return value


def fact_of(value: object, asserted_at: str | None = None) -> Fact:
    """Check a fact and return its stored form. `asserted_at` is the default for its time."""
    if value.__class__ is not dict:
        raise fault(1, "fact input must be a dict")
    given: Fact = value
    schema = given.get("schema")
    if schema is not None and schema != SCHEMA:
        raise fault(1, f"unsupported schema `{display(schema)}`")
    kind = kind_of(given.get("kind"))
    if _is_blank(given.get("claim")):
        raise fault(3, "claim is required")
    known = {
        "schema": SCHEMA,
        "kind": kind,
        "claim": display(given["claim"]).strip(),
        "confidence": confidence_of(given.get("confidence")),
        "evidence": _evidence_of(given.get("evidence")),
        "provenance": _dict_of(given.get("provenance"), 6, "provenance"),
        "valid_until": _valid_until_of(given.get("valid_until")),
    }
    time = given.get("asserted_at")
    if _is_blank(time) and asserted_at is None:
        raise fault(9, "asserted_at is required")
    return {**known, "id": fact_id(known), "asserted_at": asserted_at if _is_blank(time) else display(time)}


def fact_id(fact: Fact) -> str:
    """Return the id of a fact, a hash of its kind, claim, evidence and provenance."""
    parts = (fact["kind"], fact["claim"], json_text(fact["evidence"]), json_text(fact["provenance"]))
    return f"fact_{sha256(chr(10).join(parts).encode('utf-8', 'replace')).hexdigest()[:_ID_DIGITS]}"


def fact_key(fact: Fact) -> str:
    """Return the key of a fact in memory."""
    return f"fact:{fact['kind']}:{fact['id']}"


def claims_the_same(record: MemoryRecord, fact: Fact) -> bool:
    """Return whether a record of memory is a fact of the same kind with the same claim, whatever supports it."""
    known = record["value"]
    if known.__class__ is not dict or known.get("schema") != SCHEMA or known.get("kind") != fact["kind"]:
        return False
    claim = known.get("claim")
    return isinstance(claim, str) and claim.split() == fact["claim"].split()


def fact_tags(fact: Fact) -> list[str]:
    """Return the tags of a fact in memory."""
    kind = fact["kind"]
    tags = ["fact", f"fact:{kind}", f"schema:{SCHEMA}"]
    for evidence in fact["evidence"]:
        for tail in (
            f"evidence:{evidence['kind']}",
            f"evidence_ref:{evidence['ref']}",
            f"evidence:{evidence['kind']}:{evidence['ref']}",
        ):
            tags += [f"fact:{tail}", f"fact:{kind}:{tail}"]
    return [*dict.fromkeys(tags)]


def fact_in(record: MemoryRecord) -> Fact | None:
    """Return the fact in a record of memory, or None."""
    value = record["value"]
    if value.__class__ is not dict or value.get("schema") != SCHEMA:
        return None
    try:
        return {**fact_of(value), "id": _kept_id(value)}
    except ScriptError:
        return None


def _kept_id(value: Fact) -> str:
    found = value.get("id")
    return found if isinstance(found, str) and found else fact_of(value)["id"]
