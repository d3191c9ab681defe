"""A naive model of reminders: a transcript is a list of the payloads of pending ones and the ids of other events."""

from collections import Counter

TAKES = {"iteration_start": ["interrupt_immediate", "finish_step"], "loop_exit": ["audit_only"], "pre_compact": []}


def pending(events):
    return [event for event in events if isinstance(event, dict)]


def without(events, gone):
    return [event for event in events if event not in gone]


def inject(events, new):
    key = new.get("dedupe_key")
    older = [event for event in pending(events) if key and event.get("dedupe_key") == key]
    return [*without(events, older), new], older


def clear(events, selector):
    gone = [event for event in pending(events) if all(wanted in event.get(key, ()) for key, wanted in selector.items())]
    return without(events, gone), gone


def aged(events, due):
    expired = [event for event in due if event["ttl_turns"] <= 1]
    younger = [{**event, "ttl_turns": event["ttl_turns"] - 1} if event in due else event for event in events]
    return [new for old, new in zip(events, younger, strict=True) if old not in expired], expired


def post_turn(events, turn):
    due = [event for event in pending(events) if "ttl_turns" in event and event["fired_at_turn"] <= turn]
    left, expired = aged(events, due)
    return left, expired, len(due) - len(expired), len(pending(left))


def restart(events):
    return [{**event, "fired_at_turn": 0} if isinstance(event, dict) else event for event in events]


def compact(events, exempt):
    left, expired = aged(events, [e for e in pending(events) if e["id"] not in exempt and "ttl_turns" in e])
    keyed = [event for event in pending(left) if event["id"] not in exempt and "dedupe_key" in event]
    newest = {event["dedupe_key"]: event for event in keyed}
    collapsed = [event for event in keyed if newest[event["dedupe_key"]] is not event]
    survivors = pending(without(left, collapsed))
    sifted = [event for event in survivors if not event["preserve_on_compact"] and event["id"] not in exempt]
    return without(left, collapsed + sifted), survivors, expired + sifted, Counter(e["dedupe_key"] for e in collapsed)


def inherit(events, session):
    far = [e for e in pending(events) if e["propagate"] in ["all", "session"][: 1 + (e["source"] != "inherited")]]
    return [{"originating_agent_id": session, **event, "source": "inherited"} for event in far]


def drain(queue, seam):
    taken = [entry for mode in TAKES[seam] for entry in queue if entry[1] == mode]
    return without(queue, taken), taken
