"""A client works at random while the server is killed; nothing that was acknowledged is lost or repeated."""

import os
import random
import signal
import sys
import threading
import time

import pytest

from tests.serve.acp.late_model import Call, LateModel
from tests.serve.acp.ledger import Entry, Ledger, Request
from tests.serve.acp.stage import Stage, blocks, text_of
from tests.serve.acp_client import is_update

KILLS = int(os.environ.get("HARNLITE_KILLS", "25"))
"""How many kills the long test makes."""
CHAIN = 10
"""How many kills one session survives."""


class Chain:
    """One session that is worked on by a chain of processes."""

    def __init__(self, folder, seed: int) -> None:
        self.dice = random.Random(seed)
        self.folder = folder
        self.ledger = Ledger()
        self.has_cancel = bool(seed % 2)
        self.ledger.steers_may_overtake = self.has_cancel
        self.model = LateModel()
        self.model.decide = self.decide
        self.kills = 0
        self.prompts = 0
        self.session = ""
        self.seen_calls = 0
        self.requests: dict[object, Request] = {}
        self.unanswered: list[Entry] = []
        self.prompt_requests: dict[object, str] = {}

    def decide(self, call: Call) -> None:
        """Answer a call of the model after a random moment, in one or two pieces, sometimes with a tool."""
        delay = self.dice.choice((0, 0.001, 0.004, 0.012))
        if self.dice.random() < 0.3:
            threading.Timer(delay, call.use, ("look",)).start()
        else:
            call.begin("piece ")
            threading.Timer(delay, call.answer, ("end",)).start()

    def start(self) -> Stage:
        """Start a process on the store of the chain."""
        self.requests, self.prompt_requests = {}, {}
        return Stage(self.folder, self.model, store=str(self.folder / "store.sqlite"))

    # --- one process

    def live(self, *, first: bool) -> None:
        """Work with one process until it is killed."""
        stage = self.start()
        if first:
            self.session = stage.new()
        start = 0 if first else sys.maxsize
        delay = self.dice.uniform(0, 0.3)
        wanted_calls = self.dice.choice((0, 1, 3, 8))
        if not first and self.dice.random() < 0.15:
            self.kill_later(stage, delay / 10)  # while it loads
        try:
            if not first:
                start = self.check_after_load(stage)
                self.repeat_unanswered(stage)
            self.work(stage, wanted_calls)
            self.kill_later(stage, delay if wanted_calls == 0 else delay / 10)
            while stage.client.process.poll() is None:
                self.act(stage)
                time.sleep(self.dice.choice((0, 0, 0.001, 0.005)))
        except (AssertionError, OSError) as error:
            if isinstance(error, AssertionError) and not str(error).startswith("no such line"):
                raise
            stage.client.process.wait(60)
        assert stage.client.process.returncode == -signal.SIGKILL
        stage.client.wait()
        self.book(stage, start)
        stage.close()

    def work(self, stage: Stage, calls: int) -> None:
        """Work until the model has been called that often by this process."""
        target, end = len(self.model.calls) + calls, time.monotonic() + 10
        while len(self.model.calls) < target and time.monotonic() < end and stage.client.process.poll() is None:
            self.act(stage)
            time.sleep(self.dice.choice((0.001, 0.01, 0.03)))

    def kill_later(self, stage: Stage, delay: float) -> None:
        """Kill the process after a moment."""
        self.kills += 1
        timer = threading.Timer(delay, stage.client.kill)
        timer.daemon = True
        timer.start()

    def act(self, stage: Stage) -> None:
        """Do one thing at random."""
        dice, session = self.dice, self.session
        kind = dice.choices(
            ("prompt", "inject", "remind", "revoke", "replace", "revoke_reminder", "cancel"), (2, 6, 5, 3, 2, 2, 1)
        )[0]
        if kind == "prompt" or not self.prompts:
            self.send_prompt(stage)
        elif kind == "inject":
            entry = self.ledger.add("user", dice.choice(("queue", "steer", "steer")))
            (text,) = entry.texts
            self.send(stage, "session/inject", entry, mode=entry.mode, content=blocks(text))
        elif kind == "remind":
            mode = dice.choice(("finish_step", "interrupt_immediate", "audit_only", "finish_step"))
            name = f"own-{self.kills}-{len(self.ledger.entries)}" if dice.random() < 0.5 else None
            self.send_reminder(stage, self.ledger.add("reminder", mode, name=name))
        elif kind == "cancel":
            if self.has_cancel:
                stage.tell("session/cancel", sessionId=session)
        else:
            self.change(stage, kind)

    def send_prompt(self, stage: Stage) -> None:
        """Send a prompt without waiting for its end."""
        self.prompts += 1
        text = f"<u{self.prompts}>"
        self.prompt_requests[stage.prompt(self.session, text)] = text

    def send_reminder(self, stage: Stage, entry: Entry) -> None:
        """Send a reminder."""
        (text,) = entry.texts
        extra = {"id": entry.id} if entry.own_id else {}
        self.send(stage, "session/remind", entry, body=text, mode=entry.mode, ttlTurns=1, **extra)

    def change(self, stage: Stage, kind: str) -> None:
        """Revoke or replace something of which the id is known."""
        self.learn(stage)
        wanted = "reminder" if kind == "revoke_reminder" else "user"
        known = [entry for entry in self.ledger.entries[-12:] if entry.kind == wanted and entry.is_accepted]
        if not known:
            return
        entry = self.dice.choice(known)
        if kind == "revoke":
            self.send(stage, "session/revoke_inject", entry, messageId=entry.id)
        elif kind == "revoke_reminder":
            self.send(stage, "session/revoke_reminder", entry, reminderId=entry.id)
        else:
            text = f"{entry.token} changed {len(self.requests)}"
            self.send(stage, "session/replace_inject", entry, text=text, messageId=entry.id, content=blocks(text))

    def send(self, stage: Stage, method: str, entry: Entry, text: str = "", **params: object) -> None:
        """Send a request without waiting, and keep what it is about."""
        request = stage.send(method, sessionId=self.session, **params)
        self.requests[request] = Request(method, entry, text)

    def learn(self, stage: Stage) -> None:
        """Book the replies that have arrived."""
        replies = {
            line.message.get("id"): line.message for line in list(stage.client.lines) if "method" not in line.message
        }
        for name in [name for name in self.requests if name in replies]:
            self.ledger.settle_request(self.requests.pop(name), replies[name])

    # --- after a kill

    def book(self, stage: Stage, start: int) -> None:
        """Book everything that a killed process has sent and asked."""
        self.learn(stage)
        for request in self.requests.values():
            self.ledger.settle_request(request, None)
            if request.method == "session/remind" and request.entry.own_id:
                self.unanswered.append(request.entry)
        self.requests = {}
        self.observe(stage, start)
        for line in stage.client.lines:
            if line.message.get("id") in self.prompt_requests and "result" in line.message:
                self.finished(self.prompt_requests[line.message["id"]], line.message["result"]["stopReason"])

    def finished(self, text: str, reason: str) -> None:
        """Book the answer of a prompt; a prompt that was cancelled in line has never been a message."""
        if reason == "end_turn":
            self.ledger.finished_prompts.append(text)

    def observe(self, stage: Stage, start: int) -> None:
        """Book the live echoes and the calls of the model."""
        emitted, accepted = [], []
        for line in stage.client.lines[start:]:
            result = line.message.get("result") or {}
            if is_update("user_message", self.session)(line):
                self.ledger.echo(line.update["messageId"], text_of(line.update["content"]), after=f"kill {self.kills}")
            elif is_update("reminder_emitted", self.session)(line):
                emitted.append(line.update["reminderId"])
            elif "messageId" in result:
                accepted.append(result["messageId"])
            elif "stopReason" in result or is_end_of_turn(line.update):
                self.ledger.turn_ended(accepted)
        # A cancelled call of the model does not count, so the reminder is in the next call again.
        for name in {name for name in emitted if emitted.count(name) > 1 and not self.has_cancel}:
            self.ledger.problem(f"{name} lasts one call, but was emitted {emitted.count(name)} times by one process")
        calls = self.model.calls[self.seen_calls :]
        self.seen_calls += len(calls)
        for call in calls:
            self.ledger.model_call(call.users, call.system)

    def check_after_load(self, stage: Stage) -> int:
        """Load the session and check what is there; return the place of the first live line."""
        replay = stage.replay(self.session)
        calls = len(self.model.calls)
        names = self.ledger.replayed(users_of(replay))
        rows = stage.pending(self.session)
        self.ledger.waiting(rows, names)
        waiting = {row["id"] for row in rows}
        for entry in self.ledger.entries:
            if entry.kind == "reminder" and entry.is_certain and entry.id not in waiting:
                error = stage.refused("session/revoke_reminder", sessionId=self.session, reminderId=entry.id)
                if error["data"].get("reason") != "already_delivered":
                    self.ledger.problem(f"{entry.token} is lost: {error}")
        if len(self.model.calls) != calls:
            self.ledger.problem("loading has started a turn")
        return len(stage.client.lines)

    def repeat_unanswered(self, stage: Stage) -> None:
        """Send the reminders with ids of their own again of which the reply was lost."""
        again, self.unanswered = self.unanswered, []
        for entry in again:
            self.send_reminder(stage, entry)

    # --- the end

    def finish(self) -> None:
        """Deliver everything in a process that is not killed, and compare two replays."""
        stage = self.start()
        start = self.check_after_load(stage)
        self.repeat_unanswered(stage)
        for _ in range(2):
            self.send_prompt(stage)
        for request in list(self.prompt_requests):
            assert stage.reply(request, 60)["result"] == {"stopReason": "end_turn"}
        stage.settle(self.session)
        self.book(stage, start)
        assert stage.pending(self.session) == []
        replay = stage.replay(self.session)
        self.ledger.replayed(users_of(replay))
        stage.kill()
        stage = self.start()
        assert stage.replay(self.session) == replay
        assert stage.pending(self.session) == []
        stage.close()
        self.ledger.finish()


def is_end_of_turn(update):
    """Return whether an update is the frame at the end of the turn of a queued message."""
    harn = (update.get("_meta") or {}).get("harn") or {}
    return (harn.get("turn") or {}).get("state") == "idle"


def users_of(replay):
    """Return the ids and texts of the user messages of a replay."""
    return [
        (update["messageId"], text_of(update["content"]))
        for update in replay
        if update["sessionUpdate"] == "user_message"
    ]


def run_chain(folder, seed: int, kills: int) -> Chain:
    """Kill the server of one session that many times."""
    folder.mkdir(exist_ok=True)
    chain = Chain(folder, seed)
    try:
        for number in range(kills):
            chain.live(first=number == 0)
        chain.finish()
    finally:
        chain.model.close()
    return chain


def check_kills(folder, kills: int, base: int = 0) -> None:
    """Kill servers until there were enough kills."""
    seed = base
    while kills > 0:
        chain = run_chain(folder / str(seed), seed, min(CHAIN, kills))
        assert not chain.ledger.problems, f"seed {seed}:\n" + "\n".join(chain.ledger.problems)
        kills -= CHAIN
        seed += 1


@pytest.mark.parametrize("seed", [0, 1])
def test_a_kill(tmp_path, seed):
    check_kills(tmp_path, 1, seed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_kills(tmp_path):
    check_kills(tmp_path, KILLS)
