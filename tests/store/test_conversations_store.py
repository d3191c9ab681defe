"""The SQLite store of conversations: its rows, its transactions, and files that it cannot use."""

import os
import sqlite3
import stat
import threading

import pytest

from harnlite.durable_files import read_file
from harnlite.store import sqlite_entries, store_connections
from harnlite.store.conversation_schema import APPLICATION_ID, VERSION
from harnlite.store.conversation_store import StoredEntry, StoredOutcome, StoredSession, StoreError, TaskRow
from harnlite.store.sqlite_conversations import open_store
from harnlite.store.store_locations import default_path, store_path

TIME = "2026-11-20T12:34:56.789Z"
SURROGATE = "half \ud83d of a pair"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "conversations.db")


@pytest.fixture(params=["file", "memory"])
def store(request, path):
    opened = open_store(path if request.param == "file" else ":memory:")
    opened.add_session(StoredSession("s", "/work", TIME))
    yield opened
    opened.close()


def waiting(store, session="s"):
    return [entry.id for entry in store.entries(session)]


# Rows


def test_a_session_keeps_all_fields(store):
    row = StoredSession(
        "x", "/other", TIME, "Title", TIME, {"a": [1, None]}, 3, 0.25, [{"name": "mcp"}], {"labels": {"r": "ü"}}
    )
    store.add_session(row)
    assert store.session("x") == row
    store.update_session("x", title=None, updated_at=None, turns=4, meta={}, state={"b": True})
    assert store.session("x") == StoredSession(
        "x", "/other", TIME, None, None, {}, 4, 0.25, [{"name": "mcp"}], {"b": True}
    )
    assert store.session("unknown") is None


def test_sessions_are_added_once_and_changed_by_known_fields(store):
    with pytest.raises(ValueError, match="exists"):
        store.add_session(StoredSession("s", "/", TIME))
    with pytest.raises(TypeError, match="no field has_messages"):
        store.update_session("s", has_messages=True)
    with pytest.raises(LookupError, match="unknown"):
        store.update_session("unknown", title="x")


def test_writes_for_an_unknown_session_raise_and_reads_find_nothing(store):
    for write in (
        lambda: store.add_entry("no", "e", "user", "queue", {}),
        lambda: store.update_entry("no", "e", mode="steer"),
        lambda: store.take_entries("no", ["e"], "revoked"),
        lambda: store.save_transcript("no", kept=0, rows=[]),
        lambda: store.append_history("no", {"kind": "user"}),
    ):
        with pytest.raises(LookupError):
            write()
    assert (store.entries("no"), store.outcomes("no"), store.outcome("no", "e")) == ([], [], None)
    assert (store.transcript("no"), store.history("no")) == (None, [])
    store.delete_session("no")


def test_entries_wait_in_the_order_of_acceptance_and_can_be_moved(store):
    for each in "abc":
        store.add_entry("s", each, "user", "queue", {"text": each})
    assert [entry.position for entry in store.entries("s")] == [1, 2, 3]
    assert store.update_entry("s", "b", mode="steer", payload={"text": "new"})
    assert store.update_entry("s", "c", order=0)
    assert store.entries("s") == [
        StoredEntry("c", "user", "queue", {"text": "c"}, 0),
        StoredEntry("a", "user", "queue", {"text": "a"}, 1),
        StoredEntry("b", "user", "steer", {"text": "new"}, 2),
    ]
    assert not store.update_entry("s", "unknown", mode="queue")


def test_an_id_is_accepted_once_and_its_answer_is_kept(store):
    store.add_entry("s", "r", "reminder", "finish_step", {}, body_hash="h", answer={"dedupedCount": 0})
    assert store.outcome("s", "r") == StoredOutcome("r", "reminder", "waiting", "h", {"dedupedCount": 0})
    assert store.take_entries("s", ["r", "unknown", "r"], "delivered") == ["r"]
    settled = StoredOutcome("r", "reminder", "delivered", "h", {"dedupedCount": 0})
    assert store.outcome("s", "r") == settled
    assert store.take_entries("s", ["r"], "revoked") == []
    for known in ("r", "w"):
        if known == "w":
            store.add_entry("s", known, "user", "queue", {})
        with pytest.raises(ValueError, match="already"):
            store.add_entry("s", known, "user", "queue", {})
    assert store.outcomes("s") == [settled, StoredOutcome("w", "user", "waiting", None, None)]
    store.add_session(StoredSession("t", "/", TIME))
    store.add_entry("t", "r", "user", "queue", {})


def test_the_newest_outcomes_are_remembered(store, monkeypatch):
    monkeypatch.setattr(sqlite_entries, "MOST_OUTCOMES", 5)
    for number in range(12):
        store.add_entry("s", f"e{number}", "user", "queue", {})
    store.take_entries("s", [f"e{number}" for number in range(8)], "delivered")
    store.take_entries("s", ["e11"], "revoked")
    assert [(row.id, row.outcome) for row in store.outcomes("s")] == [
        *((f"e{number}", "delivered") for number in range(4, 8)),
        ("e11", "revoked"),
        *((f"e{number}", "waiting") for number in range(8, 11)),
    ]
    assert store.outcome("s", "e0") is None


def test_a_transcript_keeps_its_first_rows(store):
    store.save_transcript("s", kept=0, rows=["0", "1", "2"], fields={"system_prompt": "x"})
    store.save_transcript("s", kept=2, rows=["b", "c"])
    assert store.transcript("s") == ({"system_prompt": "x"}, ["0", "1", "b", "c"])
    store.save_transcript("s", kept=1, rows=[], fields={})
    assert store.transcript("s") == ({}, ["0"])
    with pytest.raises(ValueError, match="has 1 rows"):
        store.save_transcript("s", kept=2, rows=["x"])
    with pytest.raises(ValueError, match="negative"):
        store.save_transcript("s", kept=-1, rows=["x"])


def test_history_is_read_in_pages(store):
    assert not store.session("s").has_messages
    assert store.append_history("s", {"kind": "plan", "plan": []}) == 1
    assert not store.session("s").has_messages
    assert store.append_history("s", {"kind": "user", "text": "a"}) == 2
    assert store.session("s").has_messages
    for number in range(10):
        store.append_history("s", {"kind": "agent", "text": number})
    first = store.history("s", limit=5)
    rest = store.history("s", after=first[-1][0])
    assert [number for number, _ in first + rest] == list(range(1, 13))
    assert rest[-1] == (12, {"kind": "agent", "text": 9})


def test_a_deleted_session_takes_everything_along(store):
    store.add_entry("s", "a", "user", "queue", {})
    store.add_entry("s", "b", "user", "queue", {})
    store.take_entries("s", ["b"], "delivered")
    store.save_transcript("s", kept=0, rows=["x"], fields={"a": 1})
    store.append_history("s", {"kind": "user"})
    store.save_task(TaskRow("t", "s", "working", 1, {}))
    store.claim("s")
    store.delete_session("s")
    store.add_session(StoredSession("s", "/", TIME))
    assert (store.entries("s"), store.outcomes("s"), store.transcript("s"), store.history("s")) == ([], [], None, [])
    assert store.task("t") == TaskRow("t", "s", "working", 1, {})


def test_halves_of_surrogate_pairs_are_kept(store):
    row = StoredSession(SURROGATE, "/\udcff", TIME, SURROGATE, TIME, {SURROGATE: SURROGATE})
    store.add_session(row)
    store.add_entry(SURROGATE, SURROGATE, "user", "queue", {"text": SURROGATE})
    store.save_transcript(SURROGATE, kept=0, rows=[SURROGATE, "\0\x7fü"], fields={"a": SURROGATE})
    store.append_history(SURROGATE, {"kind": "plan", "text": SURROGATE})
    assert store.session(SURROGATE) == row
    assert store.entries(SURROGATE)[0].payload == {"text": SURROGATE}
    assert store.take_entries(SURROGATE, [SURROGATE], "delivered") == [SURROGATE]
    assert store.transcript(SURROGATE) == ({"a": SURROGATE}, [SURROGATE, "\0\x7fü"])
    assert store.history(SURROGATE) == [(1, {"kind": "plan", "text": SURROGATE})]
    assert store.claim(SURROGATE)
    store.save_task(TaskRow(SURROGATE, SURROGATE, "working", 1, {"a": SURROGATE}))
    assert store.tasks(context=SURROGATE) == [TaskRow(SURROGATE, SURROGATE, "working", 1, {"a": SURROGATE})]
    store.append_history(SURROGATE, {"kind": "user"})
    assert [found.id for found in store.sessions(cwd="/\udcff", opened=["\udc00"])] == [SURROGATE]


# Lists


@pytest.mark.parametrize("cwd", [None, "/even"])
def test_a_thousand_sessions_are_listed_in_pages(store, cwd):
    expected = []
    with store.transaction():
        for number in range(1000):
            updated = None if number % 10 == 0 else f"2026-11-20T12:00:0{number % 7}.000Z"
            folder = "/even" if number % 2 == 0 else "/odd"
            store.add_session(StoredSession(f"s{number:04}", folder, TIME, updated_at=updated))
            if number % 3:
                store.append_history(f"s{number:04}", {"kind": "user"})
            if (number % 3 or number == 300) and cwd in {None, folder}:
                expected.append((updated or "", f"s{number:04}"))
    expected.sort(reverse=True)
    found, after = [], None
    while page := store.sessions(cwd=cwd, after=after, limit=50, opened=["s0300", "unknown"]):
        assert len(page) <= 50
        found += [(row.updated_at or "", row.id) for row in page]
        after = (page[-1].updated_at, page[-1].id)
    assert found == expected


def test_tasks_are_filtered_and_paged(store):
    rows = [
        TaskRow(
            f"t{number:02}",
            f"c{number % 2}",
            ["working", "completed", "failed"][number % 3],
            number // 4,
            {"n": number},
        )
        for number in range(40)
    ]
    for row in rows:
        store.save_task(row)
    rows[3] = TaskRow("t03", "c1", "canceled", 99, {"n": "new"})
    store.save_task(rows[3])
    newest = sorted(rows, key=lambda row: (row.changed_ms, row.id), reverse=True)
    assert store.tasks(limit=100) == newest
    assert store.tasks(limit=7, after=(newest[6].changed_ms, newest[6].id)) == newest[7:14]
    filters = {"context": "c1", "states": ["working", "canceled"], "changed_after": 5}
    expected = [
        row for row in newest if row.context_id == "c1" and row.state in {"working", "canceled"} and row.changed_ms >= 5
    ]
    assert store.tasks(**filters) == expected
    assert store.count_tasks(**filters) == len(expected)
    assert store.tasks(states=[]) == []
    assert (store.task("t03"), store.task("no")) == (rows[3], None)


# Transactions


def test_a_failed_transaction_writes_nothing(store):
    with pytest.raises(ZeroDivisionError), store.transaction():  # noqa: PT012 - the end of the transaction counts
        store.add_entry("s", "a", "user", "queue", {})
        store.append_history("s", {"kind": "user"})
        assert waiting(store) == ["a"], "a transaction reads what it has written"
        raise ZeroDivisionError
    assert (waiting(store), store.history("s")) == ([], [])
    store.add_entry("s", "a", "user", "queue", {})


def test_a_transaction_inside_joins_the_outer_one(store):
    with pytest.raises(ZeroDivisionError), store.transaction():  # noqa: PT012 - the end of the transaction counts
        with store.transaction():
            store.add_entry("s", "a", "user", "queue", {})
        raise ZeroDivisionError
    assert waiting(store) == []
    with store.transaction():
        with store.transaction():
            store.add_entry("s", "a", "user", "queue", {})
        store.add_entry("s", "b", "user", "queue", {})
    assert waiting(store) == ["a", "b"]


def test_an_error_inside_ends_the_outer_transaction(store):
    with pytest.raises(StoreError, match="a part of the transaction has failed"), store.transaction():  # noqa: PT012 - the end of the transaction counts
        store.add_entry("s", "a", "user", "queue", {})
        with pytest.raises(ZeroDivisionError), store.transaction():
            raise ZeroDivisionError
    assert waiting(store) == []


def test_other_threads_wait_for_writing_and_read_what_is_committed(path):
    store = open_store(path)
    store.add_session(StoredSession("s", "/", TIME))
    begun, seen = threading.Event(), []

    def other():
        begun.wait()
        seen.append(waiting(store))
        store.add_entry("s", "b", "user", "queue", {})

    thread = threading.Thread(target=other)
    thread.start()
    with store.transaction():
        store.add_entry("s", "a", "user", "queue", {})
        begun.set()
        while not seen:
            thread.join(0.01)
        assert waiting(store) == ["a"]
    thread.join()
    assert seen == [[]]
    assert waiting(store) == ["a", "b"]
    store.close()


def test_threads_write_and_read_at_once(store):
    def work(name):
        for number in range(30):
            with store.transaction():
                store.add_entry("s", f"{name}{number}", "user", "queue", {})
                store.append_history("s", {"kind": "user", "id": f"{name}{number}"})
            store.outcomes("s")
            assert store.take_entries("s", [f"{name}{number}"], "delivered")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.outcomes("s")) == len(store.history("s")) == 240
    assert waiting(store) == []


def test_a_closed_store_raises(store):
    store.close()
    store.close()
    with pytest.raises(StoreError, match=r"cannot write the store .*: it is closed"):
        store.add_session(StoredSession("x", "/", TIME))
    with pytest.raises(StoreError, match=r"cannot read the store .*: it is closed"):
        store.session("s")


def test_a_full_disk_is_an_error_and_the_store_stays_usable(path):
    store = open_store(path)
    store.add_session(StoredSession("s", "/", TIME))
    with store._connections.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    store._connections._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    full = r"cannot write the store .*conversations\.db: the disk is full$"
    with pytest.raises(StoreError, match=full), store.transaction():  # noqa: PT012 - the end of the transaction counts
        store.append_history("s", {"kind": "user"})
        store.append_history("s", {"kind": "user", "text": "x" * 100_000})
    assert store.history("s") == []
    store.append_history("s", {"kind": "user"})
    store.close()


def test_a_locked_store_is_an_error_after_a_while(path, monkeypatch):
    monkeypatch.setattr(store_connections, "PATIENCE_SECONDS", 0.1)
    store = open_store(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"conversations\.db: another process keeps it locked$") as caught:
        store.add_session(StoredSession("s", "/", TIME))
    assert isinstance(caught.value, OSError)
    other.execute("ROLLBACK")
    store.add_session(StoredSession("s", "/", TIME))
    other.close()
    store.close()


# Files


def crafted(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def failure(path):
    with pytest.raises(StoreError) as caught:
        open_store(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_new_store_is_private_and_marked(tmp_path):
    path = tmp_path / "new" / "folder" / "a.db"
    store = open_store(str(path))
    store.add_session(StoredSession("s", "/", TIME))
    assert stat.S_IMODE(os.stat(path.parent).st_mode) == 0o700
    for name in os.listdir(path.parent):
        mode = stat.S_IMODE(os.stat(path.parent / name).st_mode)
        assert mode == (0o700 if name.endswith(".owners") else 0o600), name
    store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    connection.close()
    store = open_store(str(path))
    assert store.session("s") is not None
    store.close()


@pytest.mark.parametrize(
    "statements",
    [["CREATE TABLE notes (text)"], ["PRAGMA application_id = 7"], ["PRAGMA user_version = 1"]],
)
def test_a_database_of_another_program_stays_as_it_is(path, statements):
    crafted(path, *statements)
    before = read_file(path)
    assert failure(path) == (
        f"cannot open the store {path}: it is a database of another program; choose another file for the conversations"
    )
    assert read_file(path) == before


def test_a_store_of_a_newer_version_stays_as_it_is(path):
    crafted(path, f"PRAGMA application_id = {APPLICATION_ID}", "PRAGMA user_version = 7")
    assert failure(path) == (
        f"cannot open the store {path}: its schema has version 7, and this harnlite knows versions up to 1; "
        "use a newer harnlite, or another file"
    )


def test_a_store_without_its_tables_is_an_error(path):
    crafted(path, f"PRAGMA application_id = {APPLICATION_ID}", "PRAGMA user_version = 1", "CREATE TABLE sessions (id)")
    assert failure(path).endswith("its tables are not those of a store of conversations; choose another file")


def test_files_that_are_no_databases_are_errors(tmp_path):
    (tmp_path / "text").write_text("no database, but a text that is long enough to look at\n" * 30)
    assert failure(tmp_path / "text").endswith("text: it is not a SQLite database; choose another file")
    assert failure(tmp_path).endswith(": Is a directory")
    os.mkfifo(tmp_path / "pipe")
    assert failure(tmp_path / "pipe").endswith("it is a named pipe, not a regular file")
    assert failure(tmp_path / "text" / "a.db").endswith("text is not a folder")
    assert failure(str(tmp_path / "a\0b")).endswith("the path is not valid")


def test_a_damaged_store_is_an_error(path):
    store = open_store(path)
    store.add_session(StoredSession("s", "/", TIME))
    for number in range(200):
        store.append_history("s", {"kind": "user", "text": "x" * 500, "number": number})
    store.close()
    size = os.stat(path).st_size
    with open(path, "r+b") as file:
        file.truncate(size // 2)
    assert failure(path).endswith(": it is damaged; move it away, or choose another file")


@pytest.mark.parametrize("seed", range(12))
def test_damaged_pages_are_errors_of_one_line(path, seed):
    store = open_store(path)
    store.add_session(StoredSession("s", "/", TIME))
    for number in range(100):
        store.append_history("s", {"kind": "user", "text": "x" * 500, "number": number})
        store.add_entry("s", f"e{number}", "user", "queue", {"n": number})
    store.close()
    size = os.stat(path).st_size
    with open(path, "r+b") as file:
        file.seek(size * (seed + 1) // 13)
        file.write(bytes((seed * 37 + index * 11) % 256 for index in range(3000)))
    try:
        store = open_store(path)
        try:
            store.session("s"), store.history("s"), store.entries("s"), store.outcomes("s")
            store.take_entries("s", [f"e{number}" for number in range(100)], "delivered")
        finally:
            store.close()
    except StoreError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most damage is found, but not all of it
    except LookupError:
        pass  # the row of the session is lost


def test_a_folder_or_file_that_is_not_writable_is_an_error(tmp_path, read_only):
    folder = tmp_path / "folder"
    folder.mkdir()
    with read_only(str(folder)):
        assert failure(folder / "a.db").endswith(f"the folder {folder} is not writable")
        assert f"the folder {folder}/sub cannot be created" in failure(folder / "sub" / "a.db")
    open_store(str(folder / "a.db")).close()
    with read_only(str(folder / "a.db")):
        assert failure(folder / "a.db").endswith("a.db: the file is not writable")


# Locations


def test_locations():
    assert [store_path(text) for text in ("a.db", "/x/a.db", "C:\\a.db", "C:/a.db", ":memory:")] == [
        *("a.db", "/x/a.db", "C:\\a.db", "C:/a.db", ":memory:")
    ]
    assert store_path("sqlite:///a%20b.db") == "a b.db"
    assert store_path("SQLITE:////x/a.db?mode=rwc") == "/x/a.db"
    assert store_path("sqlite:///:memory:") == store_path("sqlite://") == store_path("sqlite:///") == ":memory:"
    assert store_path("./odd://name") == "./odd://name"


@pytest.mark.parametrize(
    "location", ["postgresql://host/db", "https://x/y.db", "sqlite+aiosqlite:///a", "sqlite://host/a"]
)
def test_other_locations_are_errors_that_name_the_supported_ones(location):
    with pytest.raises(ValueError, match=r"supported are a path, sqlite:///PATH and :memory:$"):
        store_path(location)


@pytest.mark.parametrize("location", ["", "  ", "a\0b"])
def test_no_location_is_an_error(location):
    with pytest.raises(ValueError, match="must be one of a path"):
        store_path(location)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="the folder depends on the system")
def test_the_default_path(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_path() == f"{tmp_path}/harnlite/conversations.db"
    store = open_store(default_path())
    store.close()
    assert stat.S_IMODE(os.stat(tmp_path / "harnlite").st_mode) == 0o700
