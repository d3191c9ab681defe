"""Servers that are killed at random points: nothing accepted is lost, delivered twice, or delivered though revoked."""

import json
import random
import subprocess
import sys
import threading
import time

import pytest

from tests.samples import count

ROUNDS = 4


class Server:
    """A server in a process of its own, and the rows that it has written."""

    def __init__(self, folder, session):
        command = [sys.executable, "-m", "tests.serve.killed_server", str(folder), session]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rows = []
        self.changes = []
        """The requests to replace or revoke a message: the name, the id, and the text, which is different for each."""
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        while not self.rows and self.process.poll() is None:
            time.sleep(0.005)
        self.session = self.rows[0]["session"]

    def _read(self):
        for line in self.process.stdout:
            self.rows.append(json.loads(line))

    def send(self, *command):
        if command[0] in ("replace", "revoke"):
            self.changes.append(command)
        try:
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def finish(self):
        self.process.wait(120)
        self.reader.join()
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass


class Account:
    """What clients know: each message with its last text, and what became of it."""

    def __init__(self):
        self.texts, self.revoked, self.echoes, self.reminders, self.emitted = {}, set(), [], set(), []
        self.unreminded = set()
        self.unanswered = set()

    def read(self, server):
        answered = {row["text"] for row in server.rows if "text" in row}
        # The server may have been killed between the commit of a change and its acknowledgement.
        self.unanswered |= {change for change in server.changes if change[2] not in answered}
        for row in server.rows:
            if "accepted" in row:
                self.texts[row["accepted"]] = {row["text"]}
            elif "replaced" in row:
                self.texts[row["replaced"]] = {row["text"]}
            elif "revoked" in row:
                self.revoked.add(row["revoked"])
            elif "echo" in row:
                self.echoes.append((row["echo"], row["text"]))
            elif "reminder" in row:
                self.reminders.add(row["reminder"])
            elif "unreminded" in row:
                self.unreminded.add(row["unreminded"])
            elif "emitted" in row:
                self.emitted.append(row["emitted"])


def disturb(server, choose, account):
    """Prompt, inject, replace, revoke and remind at random for a moment."""
    known, reminders = list(account.texts), list(account.reminders)
    until = time.monotonic() + choose.uniform(0.02, 0.4)
    number = 0
    while time.monotonic() < until:
        number += 1
        text = f"{choose.random()}"
        name = choose.choice(("prompt", "steer", "queue", "queue", "remind", "revoke", "replace", "unremind"))
        current = [row["accepted"] for row in server.rows if "accepted" in row]
        reminded = [row["reminder"] for row in server.rows if "reminder" in row]
        pool = (reminders + reminded) if name == "unremind" else (known + current)
        key = choose.choice(pool[-6:]) if pool else ""
        server.send(name, key, text)
        time.sleep(choose.uniform(0, 0.01))


@pytest.mark.parametrize("seed", range(count(40, 3)))
def test_a_killed_server(tmp_path, seed):
    choose = random.Random(seed)
    account, session = Account(), "new"
    for _ in range(ROUNDS):
        server = Server(tmp_path, session)
        session = server.session
        disturb(server, choose, account)
        server.process.kill()
        server.finish()
        account.read(server)
    server = Server(tmp_path, session)
    server.send("prompt", "", "last")
    server.send("end", "", "")
    server.finish()
    account.read(server)
    end = server.rows[-1]
    assert end["pending"] == []
    echoed = [message_id for message_id, _ in account.echoes]
    assert len(set(echoed)) == len(echoed)
    assert not account.revoked & set(echoed)
    assert not account.revoked & set(end["history"])
    assert len(set(end["history"])) == len(end["history"])
    # A delivery may have been committed just before the kill, so that nobody saw its echo.
    maybe_revoked = {id_ for name, id_, _ in account.unanswered if name == "revoke"}
    assert set(account.texts) - account.revoked - maybe_revoked <= set(end["history"])
    assert set(echoed) <= set(end["history"])
    changed = {(id_, text) for id_, text in account.echoes if account.texts.get(id_, {text}) != {text}}
    assert changed <= {(id_, text) for name, id_, text in account.unanswered if name == "replace"}
    for message_id, texts in account.texts.items():
        if message_id not in account.revoked:
            assert sum(text in texts for text in end["said"]) == 1, (message_id, texts)
    assert not account.unreminded & set(account.emitted)
