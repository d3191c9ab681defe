"""The account of a client of a server that is killed: what was accepted, and what became of it."""

import dataclasses
import re
import typing

Message = dict[str, typing.Any]
TOKEN = re.compile(r"<[uri]\d+>")
"""What marks a text: a prompt, a reminder, an inject."""


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """One message or reminder. Its token is in each of its texts and nowhere else."""

    token: str
    kind: str
    mode: str
    texts: set[str]
    id: str | None = None
    own_id: bool = False
    is_accepted: bool = False
    is_revoked: bool = False
    may_be_revoked: bool = False
    was_delivered: bool = False
    is_left_over: bool = False
    """Whether the turn that should have received this steer ended without it; then it counts as queued."""

    @property
    def is_certain(self) -> bool:
        """Return whether it must arrive."""
        return self.is_accepted and not self.is_revoked and not self.may_be_revoked


@dataclasses.dataclass(slots=True)
class Request:
    """One request to the server, with what it is about."""

    method: str
    entry: Entry
    text: str = ""


class Ledger:
    """All entries of one session, in the order in which they were sent."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.by_id: dict[str, Entry] = {}
        self.problems: list[str] = []
        self.echoed: set[str] = set()
        self.finished_prompts: list[str] = []
        self.steers_may_overtake = False

    def problem(self, text: str) -> None:
        """Record a broken promise."""
        self.problems.append(text)

    def add(self, kind: str, mode: str, text: str = "", name: str | None = None) -> Entry:
        """Open the account of an entry that is about to be sent."""
        token = f"<{'i' if kind == 'user' else 'r'}{len(self.entries)}>"
        entry = Entry(token, kind, mode, {f"{token} {text}".strip()}, name, own_id=name is not None)
        self.entries.append(entry)
        return entry

    # --- replies

    def settle_request(self, request: Request, reply: Message | None) -> None:
        """Book the reply to a request; None if the server was killed before it came."""
        entry, method = request.entry, request.method
        if method in {"session/inject", "session/remind"}:
            self._accepted(entry, reply)
        elif method == "session/replace_inject":
            self._replaced(entry, request.text, reply)
        else:
            self._revoked(entry, reply)

    def _accepted(self, entry: Entry, reply: Message | None) -> None:
        if reply is None:
            return
        if "error" in reply:
            if reply["error"].get("data", {}).get("reason") != "no_running_turn":
                self.problem(f"{entry.token} was refused: {reply['error']}")
            return
        entry.is_accepted = True
        entry.id = reply["result"].get("messageId") or reply["result"]["reminderId"]
        self.by_id[entry.id] = entry

    def _replaced(self, entry: Entry, text: str, reply: Message | None) -> None:
        if reply is None:
            entry.texts.add(text)
        elif "result" in reply:
            entry.texts = {text}
        else:
            self._refused(entry, reply["error"])

    def _revoked(self, entry: Entry, reply: Message | None) -> None:
        if reply is None:
            entry.may_be_revoked = True
        elif "result" in reply:
            entry.is_revoked = True
            if entry.was_delivered:
                self.problem(f"{entry.token} was delivered and then revoked")
        else:
            self._refused(entry, reply["error"])

    def _refused(self, entry: Entry, error: Message) -> None:
        reason = error.get("data", {}).get("reason")
        if reason == "already_delivered":
            entry.was_delivered = True
            if entry.is_revoked:
                self.problem(f"{entry.token} was revoked and then delivered")
            entry.may_be_revoked = False
        elif reason == "already_revoked":
            if not (entry.is_revoked or entry.may_be_revoked):
                self.problem(f"{entry.token} was never revoked, but is: {error}")
        else:
            self.problem(f"{entry.token}: {error}")

    # --- observations

    def turn_ended(self, accepted: list[str]) -> None:
        """Book the end of a turn; `accepted` are the ids of which the replies came before."""
        for entry in map(self.by_id.get, accepted):
            if entry is not None and entry.mode == "steer" and entry.id not in self.echoed:
                entry.is_left_over = True

    def echo(self, message_id: str, text: str, *, after: str) -> None:
        """Book a live echo."""
        if message_id in self.echoed:
            self.problem(f"{message_id} was echoed twice ({after})")
        self.echoed.add(message_id)
        self._delivered(message_id, text)

    def _delivered(self, message_id: str, text: str) -> Entry | None:
        entry = self.by_id.get(message_id)
        if entry is None:  # accepted, but the reply was lost
            entry = next((entry for entry in self.entries if entry.token in text), None)
            if entry is None:
                self.problem(f"nobody sent {message_id}: {text}")
                return None
            entry.id = message_id
            self.by_id[message_id] = entry
        entry.was_delivered = True
        entry.may_be_revoked = False
        if entry.is_revoked:
            self.problem(f"{entry.token} was revoked, but delivered")
        if text not in entry.texts:
            self.problem(f"{entry.token} was delivered as {text!r} instead of {entry.texts}")
        return entry

    def model_call(self, texts: list[str], system: str) -> None:
        """Book what one call of the model contained."""
        found = TOKEN.findall("\n".join([*texts, system]))
        for token in set(found):
            if found.count(token) > 1:
                self.problem(f"{token} is {found.count(token)} times in one model call")
            entry = next((entry for entry in self.entries if entry.token == token), None)
            if entry is None:
                continue
            entry.was_delivered = True
            if entry.is_revoked:
                self.problem(f"{token} was revoked, but the model saw it")
            entry.may_be_revoked = False
            if entry.mode == "audit_only":
                self.problem(f"{token} is for the record only, but the model saw it")

    def waiting(self, rows: list[Message], delivered: set[str]) -> None:
        """Compare what waits in a session with what was accepted; `delivered` are the ids in the replay."""
        ids = [row["id"] for row in rows]
        if len(set(ids)) != len(ids):
            self.problem(f"an entry waits twice: {ids}")
        for row in rows:
            text = row["body"] if row["kind"] == "reminder" else row["content"][0]["text"]
            entry = self.by_id.get(row["id"]) or next((entry for entry in self.entries if entry.token in text), None)
            if entry is None:
                self.problem(f"nobody sent what waits: {row}")
                continue
            entry.id = row["id"]
            entry.is_accepted = True
            self.by_id[row["id"]] = entry
            entry.may_be_revoked = False
            if entry.is_revoked:
                self.problem(f"{entry.token} was revoked, but waits")
            if entry.was_delivered or row["id"] in delivered:
                self.problem(f"{entry.token} was delivered, but waits")
            if text not in entry.texts:
                self.problem(f"{entry.token} waits as {text!r} instead of {entry.texts}")
            entry.texts = {text}
        order = [self.entries.index(self.by_id[name]) for name in ids if name in self.by_id]
        if order != sorted(order):
            self.problem(f"what waits is not in the order of acceptance: {order}")
        for entry in self.entries:
            if entry.kind == "user" and entry.is_accepted and not entry.is_revoked:
                known = entry.id in delivered or entry.id in ids
                if not known and not entry.may_be_revoked:
                    self.problem(f"{entry.token} is lost: neither waiting nor delivered")
                if not known:
                    entry.is_revoked = True

    def replayed(self, users: list[tuple[str, str]]) -> set[str]:
        """Check the user messages of a replay; return their ids."""
        names = [name for name, _ in users]
        for name, text in users:
            if names.count(name) > 1:
                self.problem(f"{name} is {names.count(name)} times in the replay")
            if "<u" not in text:
                self._delivered(name, text)
        texts = [text for _, text in users if "<u" in text]
        for text in self.finished_prompts:
            if texts.count(text) != 1:
                self.problem(f"the answered prompt {text} is {texts.count(text)} times in the replay")
        for name in self.echoed - set(names):
            self.problem(f"{name} was echoed, but is not in the replay")
        for mode in ("queue", *(() if self.steers_may_overtake else ("steer",))):
            found = [self.by_id[name] for name in names if name in self.by_id]
            order = [self.entries.index(entry) for entry in found if entry.mode == mode and not entry.is_left_over]
            if order != sorted(order):
                self.problem(f"{mode}: delivered in the order {order}")
        return set(names)

    def finish(self) -> None:
        """Check the account after everything has been delivered."""
        for entry in self.entries:
            if entry.is_certain and not entry.was_delivered and entry.mode != "audit_only":
                self.problem(f"{entry.token} ({entry.mode}) was accepted, but never delivered")
