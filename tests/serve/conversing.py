"""Conversations under test: a script that works in steps, and a listener that waits for events."""

import contextlib
import pathlib
import threading

from harnlite import Engine
from harnlite.reminders.wire import INJECT, check_reminder
from harnlite.serve.conversation_values import Content, ServerSettings
from harnlite.serve.conversations import Conversations
from harnlite.store.sqlite_conversations import open_store
from harnlite.values.data_types import type_name

SECONDS = 60
WORK = """pipeline main(task, about) {
  for n in 1 to 3 { llm_mock({tool_calls: [{name: "look", arguments: {n: n}}]}) }
  llm_mock({text: "done"})
  tool look(n: int) { description "Looks."; sleep(5ms); while file_exists("hold") { sleep(5ms) }; return "seen ${n}" }
  let options = {provider: "mock", model: "gpt-4o", tools: look, tool_format: "native", reminders: false}
  let result = agent_loop(task, nil, options)
  let said = result.transcript.messages.filter({ m -> m.role == "user" }).map({ m -> m.content })
  return {said: said, status: result.status}
}
"""
ENDLESS = "pipeline main(task) { while true { sleep(5ms) } }\n"


def content(text):
    return Content(text, [{"type": "text", "text": text}])


def reminder(body, **fields):
    found, faults = check_reminder({"body": body, **fields}, type_name, INJECT)
    assert found is not None, faults
    return found


class Watching:
    """Conversations on a store, with all events in order."""

    def __init__(self, folder, script=WORK, path=None, **settings):
        self.file = folder / "main.harn"
        if script is not None:
            self.file.write_text(script)
        self.path = str(path or folder / "conversations.db")
        self.folder = str(folder)
        self.changed = threading.Condition()
        self.events = []
        self.outcomes = []
        self.store = open_store(self.path)
        given = ServerSettings(Engine(), self.file, **settings)
        self.conversations = Conversations(given, self.store, self, protocol="test")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.conversations.shutdown(1)

    def on_event(self, session_id, event):
        with self.changed:
            self.events.append({"session": session_id, **event})
            self.changed.notify_all()

    @contextlib.contextmanager
    def holding(self):
        """Let no call of the tool `look` return before the end of the block."""
        hold = pathlib.Path(self.folder, "hold")
        hold.touch()
        try:
            yield
        finally:
            hold.unlink()

    def note(self, *row):
        with self.changed:
            self.events.append({"type": "note", "note": row})
            self.changed.notify_all()

    def wait_for(self, condition):
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self.events), SECONDS), self.kinds()

    def kinds(self, *wanted):
        return [event["type"] for event in self.events if not wanted or event["type"] in wanted]

    def of(self, kind):
        return [event for event in self.events if event["type"] == kind]

    def echoes(self):
        return [event["blocks"][0]["text"] for event in self.of("user_message")]

    def create(self):
        return self.conversations.create(self.folder).id

    def start(self, session, text, **more):
        return self.conversations.prompt(session, content(text), on_end=self._end, **more)

    def _end(self, outcome):
        with self.changed:
            self.outcomes.append(outcome)
            self.events.append({"type": "note", "note": ("end", outcome.kind)})
            self.changed.notify_all()

    def wait_for_ends(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.outcomes) >= count, SECONDS), self.kinds()
        return self.outcomes[count - 1]

    def answer(self, session, text, **more):
        """Prompt, and return the outcome."""
        count = len(self.outcomes)
        self.start(session, text, **more)
        return self.wait_for_ends(count + 1)

    def wait_until_idle(self, session):
        assert self.conversations._queues.wait(session, SECONDS)
