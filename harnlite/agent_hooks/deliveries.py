"""Which of the pending reminders an event tells: each once, and no more than an agent takes."""

from __future__ import annotations

from harnlite.agent_hooks.session_state import KeptReminder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.session_state import ActorState
    from harnlite.reminders.spec import ReminderSpec
    from harnlite.store.redaction import Redactor

MOST_CHARACTERS, MOST_TOKENS = 9_000, 2_000
_CHARACTERS_PER_TOKEN, _TOKENS_PER_OTHER = 4.5, 0.75
MOST_LIVING = 300
"""The number of reminders that a session keeps to notice repetitions."""
JOINT = "\n\n"


def absorb(actor: ActorState, pending: list[ReminderSpec], redactor: Redactor) -> None:
    """Take over the reminders that are pending after the rules have run.

    A reminder with the key and the body of a living one is that one: it is not told again, and its turns count on. One
    that is made between two turns is compared with those that live in the next turn.
    """
    first_turn = actor.counters.first_turn
    known = {one.spec.id: one for one in actor.reminders}
    living = {one.identity: one for one in actor.reminders if one.lives_at(first_turn)}
    kept: dict[int, KeptReminder] = {}
    for spec in pending:
        one = known.get(spec.id)
        if one is None and spec.body.strip():
            made = _without_secrets(spec, redactor)
            made.maker = spec.maker
            new = KeptReminder(made, first_turn)
            one = living.setdefault(new.identity, new)
        if one is not None:
            kept[id(one)] = one
    actor.reminders = _limited(list(kept.values()))


def _limited(kept: list[KeptReminder]) -> list[KeptReminder]:
    """Forget the oldest reminders that were told if there are too many: every call reads and stores all of them."""
    surplus = len(kept) - MOST_LIVING
    if surplus <= 0:
        return kept
    found: list[KeptReminder] = []
    for one in kept:
        if surplus > 0 and one.is_told and not one.spec.preserve_on_compact:
            surplus -= 1
        else:
            found.append(one)
    return found


def _without_secrets(spec: ReminderSpec, redactor: Redactor) -> ReminderSpec:
    """Return a reminder without secrets in its texts: they are stored, and transcripts keep what is told."""
    key = spec.dedupe_key
    return spec.changed(
        body=redactor.text(spec.body),
        dedupe_key=None if key is None else redactor.text(key),
        tags=tuple(map(redactor.text, spec.tags)),
    )


def take_text(actor: ActorState) -> tuple[str, list[KeptReminder]]:
    """Return the text for an event that can speak, and its reminders, which count as told from now on."""
    waiting = actor.untold
    chosen: list[KeptReminder] = []
    text = ""
    for one in waiting:
        joined = text + JOINT + one.spec.body if chosen else one.spec.body
        if chosen and not fits(joined):
            break
        text = joined
        chosen.append(one)
        if not fits(text):
            text = _cut(text)
            break
    for one in chosen:
        one.is_told = True
    return text, chosen


def fits(text: str) -> bool:
    """Return whether an agent takes a text whole."""
    return len(text) <= MOST_CHARACTERS and tokens_of(text) <= MOST_TOKENS


def tokens_of(text: str) -> float:
    """Return the approximate number of tokens in a text."""
    others = 0 if text.isascii() else sum(sign > "\x7f" for sign in text)
    return (len(text) - others) / _CHARACTERS_PER_TOKEN + others * _TOKENS_PER_OTHER


def _cut(text: str) -> str:
    """Shorten a text that is too long, and say so."""

    def shortened(length: int) -> str:
        note = f"[The reminder is cut off here: {length} of {len(text)} characters are shown.]"
        return text[:length].rstrip() + JOINT + note

    low, high = 0, min(len(text), MOST_CHARACTERS)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(shortened(middle)) else (low, middle - 1)
    return shortened(low)
