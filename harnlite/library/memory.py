"""The builtins behind std/memory: records that persist between runs."""

from __future__ import annotations

from harnlite.formats.json.reading import read_json
from harnlite.formats.json.writing import data_text, json_text
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.runtime.access_control import is_restricted, place_of
from harnlite.store.memory import Memory, namespace_path, searchable
from harnlite.store.memory_folder import memory_root
from harnlite.store.ranking import terms_of
from harnlite.store.state_version import check_version
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.memory import MemoryRecord, Namespace

    Options: TypeAlias = dict[str, Any]

_DEFAULT_RECALLED, _MAX_RECALLED = 5, 100
_WINDOW, _MAX_WINDOW, _SUMMARY_BYTES = 20, 200, 4000


# Shared with the builtins for facts


def namespace_of(run: Execution, function: str, name: str, options: Options, *, writes: bool = False) -> Namespace:
    """Return a namespace of the memory that the named builtin may read, or write; otherwise raise the error.

    Raise a runtime error if a newer harnlite wrote the memory.
    """
    root = memory_root(run, options)
    operation = "state.write" if writes else "state.read"
    namespace = _memory(run).namespace(place_of(run, operation, function, namespace_path(root, name)))
    try:
        check_version(run, root, function, writes=writes)
    except OSError as error:
        raise runtime_error(f"memory: cannot write {root}: {error.strerror}") from None
    return namespace


def _memory(run: Execution) -> Memory:
    memory: Memory | None = run.peek("memory")
    if memory is None:
        memory = run.state("memory", Memory)
        run.endings.append(memory.close)
    return memory


def rfc3339_time(run: Execution, options: Options) -> str:
    """Return the time given in the options, or the current time, as an RFC 3339 text in UTC."""
    import datetime as dt

    given = options.get("now")
    if isinstance(given, str) and given:
        try:
            time = dt.datetime.fromisoformat(given)
        except ValueError:
            return given
        return (time if time.tzinfo else time.replace(tzinfo=dt.UTC)).astimezone(dt.UTC).isoformat()
    seconds = given if isinstance(given, (int, float)) and not isinstance(given, bool) else run.clock.now()
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()


def json_value(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value after conversion to JSON and back."""
    return read_json(data_text(value))


def store_record(
    run: Execution, function: str, namespace: str, entry: tuple[str, object, Iterable[str]], options: Options
) -> MemoryRecord:
    """Store a record with a key, a value and tags for the named builtin, and return it."""
    key, value, tags = entry
    stored_value = json_value(value)
    given_id = options.get("id")
    record: MemoryRecord = {
        "_type": "memory_record",
        "id": given_id if isinstance(given_id, str) and given_id else run.ids.uuid7(),
        "key": key,
        "namespace": namespace,
        "provenance": json_value(options.get("provenance")),
        "stored_at": rfc3339_time(run, options),
        "tags": sorted(set(tags)),
        "text": stored_value if isinstance(stored_value, str) else json_text(stored_value),
        "value": stored_value,
    }
    namespace_of(run, function, namespace, options, writes=True).store(record)
    return record


def require_reading(run: Execution, function: str, namespace: str, options: Options) -> None:
    """Check that a builtin that returns which records it has deleted may read them, if the run may not read all."""
    if is_restricted(run, "fs.read"):
        namespace_of(run, function, namespace, options)


def forget_records(
    run: Execution,
    function: str,
    namespace: str,
    selection: tuple[object, Callable[[MemoryRecord], bool]],
    options: Options,
) -> dict[str, object]:
    """Delete the records that a predicate selects for the named builtin, and return the event that lists them."""
    predicate, is_selected = selection
    event: dict[str, object] = {
        "_type": "memory_forget",
        "id": options["id"] if isinstance(options.get("id"), str) else run.ids.uuid7(),
        "namespace": namespace,
        "forgotten_at": rfc3339_time(run, options),
    }
    recorded = {**event, "predicate": json_value(predicate)}
    ids = namespace_of(run, function, namespace, options, writes=True).forget(recorded, is_selected)
    return {**event, "forgotten": len(ids), "forgotten_ids": ids}


# Arguments


def _text(function: str, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise runtime_error(f"{function}: `{name}` must be a non-empty string")
    return value


def _options(value: object) -> Options:
    return value if isinstance(value, dict) else {}


def _int(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _tags(value: object) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, (str, list)):
        raise runtime_error(f"__memory_store: `tags` must be a string, list, or nil, got {type_name(value)}")
    return _tag_list(value)


def _tag_list(value: object) -> list[str]:
    texts = [display(tag).strip() for tag in (value if isinstance(value, list) else [value]) if tag is not None]
    return [text for text in texts if text]


# The builtins


@native("__host_memory_store")
def memory_store(
    run: Execution,
    namespace: object = None,
    key: object = None,
    value: object = None,
    tags: object = None,
    options: object = None,
) -> dict[str, object]:
    """Store a record and return it."""
    require(run, "state.write", "memory_store")
    name, label = _text("__memory_store", "namespace", namespace), _text("__memory_store", "key", key)
    return store_record(run, "memory_store", name, (label, value, _tags(tags)), _options(options))


@native("__host_memory_recall")
def memory_recall(
    run: Execution, namespace: object = None, query: object = None, count: object = None, options: object = None
) -> list[object]:
    """Return the records that match a query, best first."""
    require(run, "state.read", "memory_recall")
    name, text = _text("__memory_recall", "namespace", namespace), _text("__memory_recall", "query", query)
    limit = min(max(_int(count, _DEFAULT_RECALLED), 1), _MAX_RECALLED)
    hits = namespace_of(run, "memory_recall", name, _options(options)).recall(text, limit)
    return [{**record, "score": score} for record, score in hits]


@native("__host_memory_summarize")
def memory_summarize(
    run: Execution, namespace: object = None, window: object = None, options: object = None
) -> dict[str, object]:
    """Return the records of a window and a text that lists them."""
    require(run, "state.read", "memory_summarize")
    name = _text("__memory_summarize", "namespace", namespace)
    if type_name(window) not in {"nil", "int", "dict"}:
        raise runtime_error(f"__memory_summarize: `window` must be nil, int, or dict, got {type_name(window)}")
    view: Options = window if isinstance(window, dict) else {"limit": window}
    limit = min(max(_int(view.get("limit"), _WINDOW), 0), _MAX_WINDOW)
    memory = namespace_of(run, "memory_summarize", name, _options(options))
    records = memory.oldest_first(_in_window(memory, view)[:limit])
    return {
        "_type": "memory_summary",
        "count": len(records),
        "namespace": name,
        "records": records,
        "text": _summary(records),
    }


def _in_window(namespace: Namespace, view: Options) -> list[MemoryRecord]:
    """Return the records that a window selects, in the order of preference."""
    query, wanted = view.get("query"), view.get("tags", view.get("tag"))
    if isinstance(query, str) and query.strip():
        records = [record for record, _ in namespace.recall(query, _MAX_WINDOW)]
    else:
        records = namespace.newest()
    tags = set(_tag_list(wanted)) if wanted is not None else set()
    if tags:
        records = [record for record in records if not tags.isdisjoint(record["tags"])]
    return records


def _summary(records: Iterable[MemoryRecord]) -> str:
    text, remaining = "", _SUMMARY_BYTES
    for record in records:
        first = record["text"].split("\n", 1)[0]
        line = f"- [{','.join(record['tags'])}] {record['key']}: {first}\n"
        size = len(line.encode())
        if size > remaining:
            return text or line.encode()[:remaining].decode("utf-8", "ignore")
        text += line
        remaining -= size
    return text


@native("__host_memory_forget")
def memory_forget(
    run: Execution, namespace: object = None, predicate: object = None, options: object = None
) -> dict[str, object]:
    """Delete the records that a predicate selects."""
    require(run, "state.write", "memory_forget")
    name = _text("__memory_forget", "namespace", namespace)
    require_reading(run, "memory_forget", name, _options(options))
    return forget_records(run, "memory_forget", name, (predicate, _selection_of(predicate)), _options(options))


def _selection_of(predicate: object) -> Callable[[MemoryRecord], bool]:
    if isinstance(predicate, str):
        text = _text("__memory_forget", "predicate", predicate).lower()
        return lambda record: text in searchable(record).lower()
    if not isinstance(predicate, dict):
        got = type_name(predicate)
        raise runtime_error(f"__memory_forget: `predicate` must be a string or dict, got {got}")
    tests = [make(predicate[name]) for name, make in _TESTS.items() if predicate.get(name) is not None]
    return lambda record: bool(tests) and all(test(record) for test in tests)


def _values(value: object) -> list[str]:
    return [display(item) for item in value] if isinstance(value, list) else [display(value)]


def _by_id(value: object) -> Callable[[MemoryRecord], bool]:
    ids = _values(value)
    return lambda record: record["id"] in ids


def _by_key(value: object) -> Callable[[MemoryRecord], bool]:
    keys = _values(value)
    return lambda record: record["key"] in keys


def _by_tags(value: object) -> Callable[[MemoryRecord], bool]:
    tags = set(_tag_list(value))
    return lambda record: not tags.isdisjoint(record["tags"])


def _by_query(value: object) -> Callable[[MemoryRecord], bool]:
    terms = set(terms_of(display(value)))
    return lambda record: not terms.isdisjoint(terms_of(searchable(record)))


_TESTS = {"id": _by_id, "key": _by_key, "tag": _by_tags, "tags": _by_tags, "query": _by_query}
