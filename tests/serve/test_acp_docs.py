"""The conversation in docs/acp.md, replayed byte for byte with fixed ids and a fixed clock."""

import io
import os
import re
import threading
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.runtime.tasks.clock import Clock
from harnlite.serve.acp.methods import METHODS
from harnlite.serve.acp.server import AcpServer
from harnlite.serve.conversation_values import ServerSettings
from harnlite.store.sqlite_conversations import open_store

PAGE = Path(__file__).parents[2] / "docs" / "acp.md"
FENCE = re.compile(r"<!-- conversation -->\n```jsonl\n(.*?)```", re.DOTALL)
SCRIPT = re.compile(r"```harn\n(.*?)```", re.DOTALL)
SENT, RECEIVED = "> ", "< "


class FixedClock(Clock):
    """A clock that stands."""

    def now(self):
        return 1_795_000_000.123


class CountedIds:
    """Ids that are numbered in the order in which they are made."""

    def __init__(self):
        self.count = 0

    def _next(self):
        self.count += 1
        return self.count

    def hex(self, count):
        return f"{self._next():0{2 * count}x}"

    def uuid7(self):
        return f"01a15ab2-d2bb-7000-8000-{self._next():012x}"

    uuid4 = uuid7


class Exchange:
    """A server in this process, driven line by line."""

    def __init__(self, script):
        incoming, self.to_server = os.pipe()
        back, self.outgoing = os.pipe()
        self.answers = os.fdopen(back, encoding="utf-8")
        engine = Engine(clock=FixedClock(), ids=CountedIds(), cache=False)
        settings = ServerSettings(engine, script, stderr=io.StringIO())
        self.server = AcpServer(lambda: settings, open_store(":memory:"), incoming, self.outgoing)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()

    def send(self, line):
        os.write(self.to_server, line.encode() + b"\n")

    def close(self):
        os.close(self.to_server)
        self.thread.join(10)
        os.close(self.outgoing)
        rest = self.answers.read()
        self.answers.close()
        return rest


def test_the_conversation_on_the_page_is_what_the_server_writes(tmp_path, request):
    page = PAGE.read_text(encoding="utf-8")
    script = tmp_path / "agent.harn"
    script.write_text(SCRIPT.search(page)[1], encoding="utf-8")
    lines = FENCE.search(page)[1].splitlines()
    exchange = Exchange(str(script))
    shown = []
    for position, line in enumerate(lines):
        if not line.startswith(SENT):
            continue
        shown.append(line)
        exchange.send(line.removeprefix(SENT).replace("/home/me/project", str(tmp_path)))
        answer = re.search(r'"id":(\d+)', line)
        while answer and position < len(lines):
            received = exchange.answers.readline().rstrip("\n")
            shown.append(RECEIVED + received)
            if received.startswith(f'{{"jsonrpc":"2.0","id":{answer[1]},'):
                break
    assert exchange.close() == ""
    if request.config.getoption("--golden"):
        text = "".join(f"{line}\n" for line in shown)
        PAGE.write_text(page.replace(FENCE.search(page)[1], text), encoding="utf-8")
        lines = shown
    assert shown == lines


@pytest.mark.parametrize("name", sorted({method.name for method in METHODS.values()} - {"authenticate"}))
def test_the_page_names_every_method(name):
    assert re.search(rf"`{re.escape(name)}[` ]", PAGE.read_text(encoding="utf-8"))
