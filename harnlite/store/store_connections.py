"""The connections to the SQLite file of a store of conversations: one that writes, and some that read."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager
from threading import Lock, RLock, get_ident

from harnlite.store.conversation_schema import CONVERSATIONS
from harnlite.store.conversation_store import StoreError
from harnlite.store.sqlite_saves import SAVES
from harnlite.store.sqlite_schema import Connection, UnfitFileError, open_with_schema
from harnlite.store.store_locations import IN_MEMORY
from harnlite.store.store_owners import StoreOwner
from harnlite.store.stored_values import column_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 5.0
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_MOST_IDLE_READERS = 4
_STATEMENTS = 256
_CHECKPOINT_PAGES = 4000
"""The length of the write-ahead log that makes a commit wait for the disk: 16 MB, which few commits reach."""
_DAMAGED = "it is damaged; move it away, or choose another file"
_REASONS = {
    sqlite3.SQLITE_BUSY: "another process keeps it locked",
    sqlite3.SQLITE_LOCKED: "another process keeps it locked",
    sqlite3.SQLITE_READONLY: "the file or its folder is not writable",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that its folder is writable",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: "it is not a SQLite database; choose another file",
    sqlite3.SQLITE_IOERR: "reading or writing the disk failed",
}
_NUMBERS = {
    sqlite3.SQLITE_BUSY: errno.EAGAIN,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_FULL: errno.ENOSPC,
}
_CODE = 0xFF
"""The part of an extended error code that is the code of the group."""


class StoreConnections:
    """The connections to one store. Transactions of threads follow each other; reading waits for none of them.

    Another process must not use them: a forked child gets an error.
    """

    __slots__ = (
        "_depth",
        "_file",
        "_is_broken",
        "_is_closed",
        "_line",
        "_lock",
        "_process",
        "_readers",
        "_thread",
        "_writer",
        "owner",
        "path",
    )

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock, self._line = RLock(), Lock()
        self._depth = 0
        self._thread = 0
        self._is_broken = self._is_closed = False
        self._process = os.getpid()
        self._readers: list[sqlite3.Connection] = []
        self.owner: StoreOwner | None = None
        self._file: tuple[int, int] | None = None
        """The identity of the file, to find out whether it still has its name; None for a store in memory."""
        try:
            self._writer = self._open()
        except OSError as error:
            raise self._failure("open", error.strerror or str(error), error.errno) from None
        except ValueError:
            raise self._failure("open", "the path is not valid", errno.EINVAL) from None
        except sqlite3.Error as error:
            raise self._translated("open", error) from None

    def _open(self) -> sqlite3.Connection:
        real = IN_MEMORY
        if self.path != IN_MEMORY:
            real = os.path.realpath(self.path)
            _create(real)
        writer = open_with_schema(real, CONVERSATIONS, patience=PATIENCE_SECONDS)
        try:
            writer.text_factory = str
            writer.execute("PRAGMA foreign_keys = ON")
            writer.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            for statement in SAVES:
                writer.execute(statement)
            if real != IN_MEMORY:
                self.path = real
                self._file = _identity(real)
                self.owner = StoreOwner(real)
        except BaseException:
            writer.close()
            raise
        return writer

    # Transactions

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Return a context manager for a transaction, or for a part of the one that this thread has begun."""
        self._require_process()
        with self._lock:
            if self._is_closed:
                raise self._failure("write", "it is closed")
            if self._depth:
                with self._joined() as connection:
                    yield connection
                return
            with self._begun() as connection:
                yield connection

    @contextmanager
    def writing_in_line(self) -> Iterator[sqlite3.Connection]:
        """Do the same for a transaction of several statements, one such thread at a time.

        A single statement, such as that of an acknowledgement, then waits for one of these transactions, not for all.
        """
        if self._thread == get_ident():
            with self.writing() as connection:
                yield connection
            return
        with self._line, self.writing() as connection:
            yield connection

    @contextmanager
    def statement(self) -> Iterator[sqlite3.Connection]:
        """Return a context manager for one statement, which is a transaction of its own.

        It becomes a part of the transaction that this thread has begun.
        """
        self._require_process()
        if self._thread == get_ident():
            with self.writing() as connection:
                yield connection
            return
        self._require_file("write")
        with self._lock:
            if self._is_closed:
                raise self._failure("write", "it is closed")
            try:
                yield self._writer
            except sqlite3.Error as error:
                raise self._translated("write", error) from None

    @contextmanager
    def statement_in_line(self) -> Iterator[sqlite3.Connection]:
        """Do the same for a statement that writes much, one such thread at a time; see `writing_in_line`."""
        if self._thread == get_ident():
            with self.writing() as connection:
                yield connection
            return
        with self._line, self.statement() as connection:
            yield connection

    @contextmanager
    def _joined(self) -> Iterator[sqlite3.Connection]:
        self._require_whole()
        self._depth += 1
        try:
            yield self._writer
        except BaseException as error:
            self._is_broken = True
            if isinstance(error, sqlite3.Error):
                raise self._translated("write", error) from None
            raise
        finally:
            self._depth -= 1

    @contextmanager
    def _begun(self) -> Iterator[sqlite3.Connection]:
        self._is_broken = False
        self._require_file("write")
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            self._depth, self._thread = 1, get_ident()
            yield self._writer
            self._require_whole()
            self._writer.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._translated("write", error) from None
        finally:
            self._depth = self._thread = 0
            if self._writer.in_transaction:
                self._roll_back()

    def _roll_back(self) -> None:
        try:
            self._writer.execute("ROLLBACK")
        except sqlite3.Error:
            return  # SQLite has rolled it back already

    def _require_whole(self) -> None:
        if self._is_broken:
            raise self._failure("write", "a part of the transaction has failed")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Return a context manager for several reads of one state, which includes the writes of this transaction."""
        self._require_process()
        try:
            if self._thread == get_ident() or self.path == IN_MEMORY:
                with self._lock:
                    if self._is_closed:
                        raise self._failure("read", "it is closed")
                    yield self._writer
                return
            reader = self._reader()
            try:
                reader.execute("BEGIN")
                yield reader
            finally:
                self._give_back(reader)
        except sqlite3.Error as error:
            raise self._translated("read", error) from None

    def _reader(self) -> sqlite3.Connection:
        if self._is_closed:
            raise self._failure("read", "it is closed")
        self._require_file("read")
        try:
            return self._readers.pop()
        except IndexError:
            pass
        reader = sqlite3.connect(
            self.path,
            timeout=PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
            cached_statements=_STATEMENTS,
        )
        reader.execute("PRAGMA query_only = ON")
        return reader

    def _give_back(self, reader: sqlite3.Connection) -> None:
        try:
            if reader.in_transaction:
                reader.execute("COMMIT")
        except sqlite3.Error:
            reader.close()
            return
        if len(self._readers) < _MOST_IDLE_READERS:
            self._readers.append(reader)
        else:
            reader.close()
        if self._is_closed:
            self._close_readers()

    def _close_readers(self) -> None:
        while self._readers:
            try:
                self._readers.pop().close()
            except IndexError:
                return

    def is_usable(self) -> bool:
        """Return whether the store is open in this process."""
        return not self._is_closed and os.getpid() == self._process

    def close(self) -> None:
        """Close the connections after the running transaction. The owner is closed first."""
        if os.getpid() != self._process:
            return
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self.owner is not None:
                self.owner.close()
            self._close_readers()
            try:
                self._writer.close()
            except sqlite3.Error as error:
                raise self._translated("close", error) from None

    # Errors

    def damaged(self) -> StoreError:
        """Return the error for a row that cannot be read."""
        return self._failure("read", _DAMAGED)

    def _require_process(self) -> None:
        if os.getpid() != self._process:
            raise self._failure("use", "it was opened by the parent of this process")

    def _require_file(self, action: str) -> None:
        """Raise StoreError if the file was removed or replaced: what is written into it would be lost."""
        if self._file is not None and _identity(self.path) != self._file:
            raise self._failure(action, "the file was removed or replaced while it was open")

    def _failure(self, action: str, reason: str, number: int | None = None) -> StoreError:
        return StoreError(f"cannot {action} the store {self.path}: {reason}", number or errno.EIO)

    def _translated(self, action: str, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", None)
        group = code & _CODE if code is not None else None
        if isinstance(error, UnfitFileError):
            text = str(error)
            return self._failure(action, _DAMAGED if "malformed" in text else text, errno.EINVAL)
        reason = _REASONS.get(group) if group is not None else None
        if reason is None:
            reason = _DAMAGED if "malformed" in str(error) else " ".join(str(error).split())
        return self._failure(action, reason, _NUMBERS.get(group) if group is not None else None)


class StorePart:
    """A part of a store, with the methods for some of its tables."""

    __slots__ = ("_connections",)

    def __init__(self, connections: StoreConnections) -> None:
        self._connections = connections

    @staticmethod
    def _number(connection: sqlite3.Connection, session: str) -> int:
        """Return the number of a session in the tables. Raise LookupError if it is not stored."""
        found = connection.execute("SELECT number FROM sessions WHERE id = ?", (column_text(session),)).fetchone()
        if found is None:
            raise LookupError(f"the session {session} is not stored")
        number: int = found[0]
        return number


def _identity(path: str) -> tuple[int, int] | None:
    """Return the device and the number of a file, or None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _create(path: str) -> None:
    """Create the file and its folder if they do not exist, such that other users cannot read them."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, _FOLDER_MODE, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is not a folder") from None
    except PermissionError as error:
        raise PermissionError(error.errno, f"the folder {folder} cannot be created: {error.strerror}") from None
    is_new = not os.path.exists(path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"the folder {folder} is not writable")
    if not is_new and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is not writable")
    if is_new:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FILE_MODE))
        except FileExistsError:
            return
