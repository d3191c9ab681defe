"""Recordings: files of requests to the world with their replies, which a later run answers from."""

from __future__ import annotations

from itertools import takewhile
from operator import itemgetter

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
EARLIER = "earlier"
_RECENT = 32
"""The number of lines that the messages of a request are compared with."""
_SHOWN_DIFFERENCES = 5


class RecordingFile:
    """A file that the requests of a run and their replies are written to, in the order of the requests.

    At the end of the run, the requests of a concurrent task are moved behind its first one: the order in which such
    tasks proceed differs from run to run.

    It is replaced when the run begins. Secrets in requests and replies are replaced. Messages with which an earlier
    request began are not written again: `"earlier": [LINE, COUNT]` stands for the first COUNT messages of that line.
    """

    __slots__ = ("_done", "_firsts", "_is_begun", "_kept", "_lines", "_next", "_path", "_recent", "_run", "_started")

    is_replay = False

    def __init__(self, run: Execution, path: str) -> None:
        self._run = run
        self._path = path
        self._is_begun = False
        self._started = 0
        self._next = 0
        self._done: dict[int, tuple[int, Data] | None] = {}
        self._lines = 0
        # the number of the first request of each task, and the records with that number
        self._firsts: dict[str, int] = {}
        self._kept: list[tuple[int, Data]] = []
        # the messages of recent lines, by line
        self._recent: dict[int, list[Any]] = {}
        self._append(b"")
        run.endings.append(self._write_rest)

    def exchange(self, kind: str, request: Data, perform: Callable[[], Data]) -> Data:
        """Perform a request and record it together with the reply that `perform` returns."""
        number = self._started
        self._started += 1
        task = self._run.task
        first = number if task.kind == "root" else self._firsts.setdefault(task.id, number)
        try:
            reply = perform()
        except BaseException:
            self._write(number, first, None)
            raise
        record = {"version": VERSION, "kind": kind, "request": request, "reply": reply}
        self._write(number, first, _redacted(self._run, record))
        return reply

    def _write(self, number: int, first: int, record: Data | None) -> None:
        """Write a record as soon as all requests before it have been answered."""
        self._done[number] = None if record is None else (first, record)
        while self._next in self._done:
            self._append_record(self._done.pop(self._next))
            self._next += 1

    def _write_rest(self) -> None:
        for number in sorted(self._done):
            self._append_record(self._done[number])
        self._done.clear()
        ordered = sorted(self._kept, key=itemgetter(0))
        if [record for _, record in ordered] != [record for _, record in self._kept]:
            self._lines = 0
            self._recent.clear()
            lines = [self._line(record) for _, record in ordered]
            self._is_begun = False
            self._append(b"".join(lines))

    def _append_record(self, found: tuple[int, Data] | None) -> None:
        if found is not None:
            self._kept.append(found)
            self._append(self._line(found[1]))

    def _line(self, record: Data) -> bytes:
        self._lines += 1
        messages = record["request"].get("messages")
        if isinstance(messages, list):
            record = {**record, "request": self._shortened(record["request"], messages)}
            self._recent[self._lines] = messages
            self._recent.pop(self._lines - _RECENT, None)
        parts = [f'"{name}":{data_text(record[name])}' for name in ("version", "kind", "request", "reply")]
        return f"{{{','.join(parts)}}}\n".encode("utf-8", "replace")

    def _shortened(self, request: Data, messages: list[Any]) -> Data:
        """Return a request without the messages with which a recent one began."""
        line, most = 0, 1
        for number, earlier in self._recent.items():
            count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(earlier, messages, strict=False)))
            if count > most:
                line, most = number, count
        return {**request, EARLIER: [line, most], "messages": messages[most:]} if line else request

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


def _redacted(run: Execution, value: object) -> Any:  # noqa: ANN401 - any JSON value
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
    found: dict[int, Data] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _record(path, number, line)
            found[number] = {**record, "line": number, "request": _whole(path, number, record["request"], found)}
    return list(found.values())


def _whole(path: str, number: int, request: Data, before: Mapping[int, Data]) -> Data:
    """Return a recorded request with the messages that it shares with an earlier line."""
    if EARLIER not in request:
        return request
    try:
        line, count = request[EARLIER]
        messages = [*before[line]["request"]["messages"][:count], *request["messages"]]
    except (KeyError, TypeError, ValueError):
        raise runtime_error(f"--replay: {path}:{number}: `{EARLIER}` names no earlier line with messages") from None
    return {**{key: value for key, value in request.items() if key != EARLIER}, "messages": messages}


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
