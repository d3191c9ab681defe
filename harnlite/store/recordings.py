"""Recordings: files of requests to the world with their replies, which a later run answers from."""

from __future__ import annotations

from harnlite.durable_files import LineFile, replace_file
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text
from harnlite.regular_files import regular_file, require_regular
from harnlite.store.recorded_differences import differences
from harnlite.store.redaction import redactor_of
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from harnlite.runtime.tasks.execution import Execution

    Data: TypeAlias = dict[str, Any]

VERSION = 1
MISSED = "replay_missed"
"""The key under which the context of a run holds the message about the first request that is not in the recording."""
_SHOWN_DIFFERENCES = 5


class RecordingFile:
    """A file that the requests of a run and their replies are written to, in the order of the requests.

    It is replaced when the run begins. Secrets in requests and replies are replaced.
    """

    __slots__ = ("_done", "_is_begun", "_next", "_path", "_run", "_started")

    is_replay = False

    def __init__(self, run: Execution, path: str) -> None:
        self._run = run
        self._path = path
        self._is_begun = False
        self._started = 0
        self._next = 0
        self._done: dict[int, bytes] = {}
        self._append(b"")
        run.endings.append(self._write_rest)

    def exchange(self, kind: str, request: Data, perform: Callable[[], Data]) -> Data:
        """Perform a request and record it together with the reply that `perform` returns."""
        number = self._started
        self._started += 1
        try:
            reply = perform()
        except BaseException:
            self._write(number, b"")
            raise
        record = {"version": VERSION, "kind": kind, "request": request, "reply": reply}
        self._write(number, data_text(_redacted(self._run, record)).encode("utf-8", "replace") + b"\n")
        return reply

    def _write(self, number: int, line: bytes) -> None:
        """Write a line as soon as all requests before it have been answered."""
        self._done[number] = line
        while self._next in self._done:
            self._append(self._done.pop(self._next))
            self._next += 1

    def _write_rest(self) -> None:
        for number in sorted(self._done):
            self._append(self._done[number])
        self._done.clear()

    def _append(self, line: bytes) -> None:
        try:
            if not self._is_begun:
                require_regular(self._path)
                replace_file(self._path, line)
            elif line:
                lines = LineFile(self._path)
                try:
                    with lines:
                        lines.append(line)
                finally:
                    lines.close()
        except OSError as error:
            raise runtime_error(f"--record: cannot write '{self._path}': {error.strerror}") from None
        self._is_begun = True


class Replay:
    """The recorded requests that a run has not made yet; each one answers an equal request once.

    The first request that is not among them is kept in the context of the run: the run fails, even if the script or an
    agent loop catches the error.
    """

    __slots__ = ("_left", "_path", "_run", "_total")

    is_replay = True

    def __init__(self, run: Execution, path: str) -> None:
        self._run = run
        self._path = path
        self._left = _read(path)
        self._total = len(self._left)
        run.endings.append(self._report_rest)

    def exchange(self, kind: str, request: Data, _perform: Callable[[], Data]) -> Data:
        """Return the recorded reply to a request; throw an error that shows the difference if there is none."""
        redacted = _redacted(self._run, request)
        for index, record in enumerate(self._left):
            if record["kind"] == kind and record["request"] == redacted:
                del self._left[index]
                reply: Data = record["reply"]
                return reply
        message = self._miss(kind, redacted)
        self._run.context.setdefault(MISSED, message)
        raise thrown({"category": "generic", "kind": "terminal", "reason": "unknown", "message": message})

    def upcoming(self, kind: str) -> Mapping[str, Any] | None:
        """Return the next recorded request of a kind, or None if there is none left."""
        return next((record["request"] for record in self._left if record["kind"] == kind), None)

    def _miss(self, kind: str, request: object) -> str:
        record = next((record for record in self._left if record["kind"] == kind), None)
        if record is None:
            return (
                f"--replay: all {self._total} requests in {self._path} have been answered; this one is not among them"
            )
        found = differences(record["request"], request)
        shown = "\n".join(found[:_SHOWN_DIFFERENCES])
        if len(found) > _SHOWN_DIFFERENCES:
            shown += f"\n  and {len(found) - _SHOWN_DIFFERENCES} more differences"
        return (
            f"--replay: this request is not in the recording; the next one there is {self._path}:{record['line']}, "
            f"which differs:\n{shown}\nIf the change is intended, record the file again with --record."
        )

    def _report_rest(self) -> None:
        if self._left and MISSED not in self._run.context:
            rest = len(self._left)
            self._run.write_error(
                f"[harn] warning: --replay: {rest} of {self._total} recorded requests were not made; the first one is "
                f"{self._path}:{self._left[0]['line']}\n"
            )


def recording_of(run: Execution) -> RecordingFile | Replay | None:
    """Return the recording that a run writes or is answered from, or None."""
    context = run.context
    if "record_path" in context:
        return run.state("recording", lambda: RecordingFile(run, str(context["record_path"])))
    if "replay_path" in context:
        return run.state("recording", lambda: Replay(run, str(context["replay_path"])))
    return None


def _redacted(run: Execution, value: object) -> object:
    """Return the JSON form of a value with the secrets in its texts replaced.

    Values with the name of a secret stay: `token` in the log probabilities of a reply is none.
    """
    redactor, text = redactor_of(run), data_text(value)

    def replaced(part: object) -> object:
        if isinstance(part, str):
            return redactor.text(part)
        if isinstance(part, list):
            return [replaced(item) for item in part]
        return {key: replaced(item) for key, item in part.items()} if isinstance(part, dict) else part

    found = read_json(text)
    return replaced(found) if redactor.may_find(text) else found


def _read(path: str) -> list[Data]:
    try:
        with open(path, encoding="utf-8", opener=regular_file) as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise runtime_error(f"--replay: cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise runtime_error(f"--replay: '{path}' is not UTF-8") from None
    return [{**_record(path, number, line), "line": number} for number, line in enumerate(lines, 1) if line.strip()]


def _record(path: str, number: int, line: str) -> Data:
    try:
        record = read_json(line)
    except JsonError as error:
        raise runtime_error(f"--replay: {path}:{number}: {error}") from None
    if not isinstance(record, dict) or not isinstance(record.get("request"), dict) or "reply" not in record:
        raise runtime_error(f"--replay: {path}:{number}: this is not a recorded request; --record writes such files")
    if record.get("version") != VERSION:
        raise runtime_error(
            f"--replay: {path}:{number}: version {data_text(record.get('version'))} of the file is not known; "
            "record it again with --record"
        )
    return record
