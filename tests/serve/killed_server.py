"""A server under test that is killed: it carries out commands from stdin and writes acknowledgements and echoes.

Each line is written in one piece, after what it reports has been committed, as a server of a protocol does.
"""

import json
import os
import pathlib
import sys

from harnlite.reminders.waiting_entries import ReusedId
from harnlite.serve.conversation_values import InjectError
from tests.serve.conversing import Watching, content, reminder

SCRIPT = """pipeline main(task) {
  for n in 1 to 4 { llm_mock({tool_calls: [{name: "look", arguments: {n: n}}]}) }
  llm_mock({text: "done"})
  tool look(n: int) { description "Looks."; sleep(3ms); return "seen ${n}" }
  return agent_loop(task, nil, {provider: "mock", model: "gpt-4o", tools: look, tool_format: "native"})
}
"""


def write(**row):
    os.write(1, json.dumps(row).encode() + b"\n")


class Told(Watching):
    """Conversations whose events are written to stdout."""

    def on_event(self, _session_id, event):
        if event["type"] == "user_message":
            write(echo=event["message_id"], text=event["blocks"][0]["text"])
        elif event["type"] == "reminder_emitted":
            write(emitted=event["reminder_id"])
        elif event["type"] in ("turn_started", "turn_ended"):
            write(event=event["type"], id=event["message_id"])


def carry_out(served, session, name, key, text):
    if name in ("steer", "queue"):
        served.inject(session, content(text), name, on_accept=lambda message_id: write(accepted=message_id, text=text))
    elif name == "remind":
        served.remind(session, reminder(text, ttlTurns=1), on_accept=lambda found: write(reminder=found.reminder_id))
    elif name == "revoke":
        served.revoke_message(session, key, on_accept=lambda _: write(revoked=key, text=text))
    elif name == "replace":
        served.replace(session, key, content(text), on_accept=lambda _: write(replaced=key, text=text))
    elif name == "unremind":
        served.revoke_reminder(session, key, on_accept=lambda _: write(unreminded=key))


def main(folder, session):
    watching = Told(pathlib.Path(folder), SCRIPT)
    served = watching.conversations
    if session == "new":
        session = watching.create()
    else:
        served.open(session)
    write(session=session)
    for line in sys.stdin:
        name, key, text = json.loads(line)
        if name == "prompt":
            served.prompt(session, content(text), on_end=lambda outcome: write(ended=outcome.kind))
        elif name == "end":
            break
        else:
            try:
                carry_out(served, session, name, key, text)
            except (InjectError, ReusedId) as error:
                write(refused=getattr(error, "reason", "reused"), key=key, text=text)
    served._queues.wait(session, 60)
    write(
        pending=[row["id"] for row in served.pending(session)["injections"]],
        history=[item["message_id"] for item in served.history(session) if item["kind"] == "user"],
        said=[
            message["content"]
            for message in served._sessions.get(session).transcript.messages()
            if message["role"] == "user"
        ],
    )
    served.shutdown(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
