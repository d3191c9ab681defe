"""The option `llm_transcript_dir`: a running loop writes its messages and model calls to `llm_transcript.jsonl`."""

from __future__ import annotations

import os

from harnlite.runtime.access_control import place_of
from harnlite.store.json_lines import JsonLines
from harnlite.store.redaction import redactor_of
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop, Turn
    from harnlite.file_places import FilePlace

FILE = "llm_transcript.jsonl"


class TranscriptFile:
    """A file with one record for each message and each model call, in order."""

    __slots__ = ("_file", "_last", "_loop", "_next", "_path", "_written")

    def __init__(self, loop: Loop, place: FilePlace) -> None:
        self._loop = loop
        self._path = place.path
        self._file = JsonLines(place)
        self._next = 0
        self._last: object = None
        self._written: dict[int, object] = {}

    def note(self, turn: Turn) -> None:
        """Write the new messages and the model call of the turn."""
        self._write_messages(turn.number)
        reply, loop = turn.reply, self._loop
        self._write(
            "llm_call",
            turn.number,
            {
                "provider": reply.get("provider"),
                "model": reply.get("model"),
                "tool_format": loop.tool_format,
                "input_tokens": reply.get("input_tokens"),
                "output_tokens": reply.get("output_tokens"),
                "stop_reason": reply.get("stop_reason"),
                "response_ms": turn.response_ms,
            },
        )

    def begin(self) -> None:
        """Write the system prompt and the messages that exist before the first turn."""
        content = self._loop.session.system_prompt
        if content is not None:
            self._write("system_prompt", 0, {"content": content})
        self._write_messages(0)

    def close(self) -> None:
        """Write the remaining messages and close the file."""
        try:
            self._write_messages(self._loop.index)
        finally:
            self._file.close()

    def _write_messages(self, iteration: int) -> None:
        transcript = self._loop.session.transcript
        start = self._next
        before = transcript.messages_from(start - 1)[:1] if 0 < start <= transcript.message_count else []
        if start and not (before and before[0] is self._last):
            # The transcript was compacted. Start over; messages that were already written are skipped below.
            start = 0
        for message in transcript.messages_from(start):
            if id(message) not in self._written:
                self._written[id(message)] = message
                self._write("message", iteration, {"message": message})
            self._last = message
        self._next = transcript.message_count

    def _write(self, kind: str, iteration: int, fields: dict[str, object]) -> None:
        loop = self._loop
        record: dict[str, object] = {
            "type": kind,
            "session_id": loop.session.id,
            "iteration": iteration,
            "ts_ms": int(loop.run.clock.now() * 1000),
            **fields,
        }
        try:
            self._file.append(redactor_of(loop.run).value(record))
        except OSError as error:
            raise thrown(f"agent_loop: llm_transcript_dir: cannot write {self._path}: {error.strerror}") from None


def open_transcript(loop: Loop) -> None:
    """Open the file in the folder that the option names."""
    folder = os.path.join(loop.run.cwd, display(loop.options.given["llm_transcript_dir"]))
    place = place_of(loop.run, "fs.write", "agent_loop", os.path.join(folder, FILE))
    loop.llm_transcript = TranscriptFile(loop, place)
    loop.llm_transcript.begin()
