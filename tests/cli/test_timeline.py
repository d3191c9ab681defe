"""`harnlite timeline`: a stored log as text and as a page in a real browser."""

import json
import os
import re
import sqlite3
import threading

import pytest

from harnlite.diagnostics.excerpt import cells
from harnlite.reminders.lifecycle import TOPIC
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
from harnlite.store.stored_log import read_log
from harnlite.store.timeline import Timeline
from harnlite.store.timeline_html import page
from harnlite.store.timeline_text import text_of
from tests.commands import run_command

EVIL = '<script>alert(1)</script> & "quoted"'


def injected(reminder_id, key, source, **more):
    return {"reminder_id": reminder_id, "dedupe_key": key, "source": source, "role_hint": "system", **more}


STORY = [
    ("provider_evaluated", {"provider_id": "anchor", "event": "SessionStart", "fired": True}, "session_start", 0, None),
    ("injected", injected("r1", "anchor", "stdlib_provider", ttl_turns=1), "session_start", 0, "You are here."),
    ("injected", injected("r2", "note", "in_pipeline", ttl_turns=3), "session_start", 0, EVIL),
    ("fired", {"reminder_id": "r1", "turn_number": 1, "rendered_role": "system"}, "model_call", 0, None),
    ("fired", {"reminder_id": "r2", "turn_number": 1, "rendered_role": "developer"}, "model_call", 0, None),
    ("expired", {**injected("r1", "anchor", "stdlib_provider"), "reason": "ttl"}, "post_turn", 1, None),
    ("deduped", {"reminder_id": "r3", "replacing_id": "r3", "replaced_ids": ["r2"]}, "iteration_end", 1, None),
    ("injected", injected("r3", "note", "bridge"), "iteration_end", 1, "Newer note."),
    ("fired", {"reminder_id": "r3", "turn_number": 2, "rendered_role": "system"}, "model_call", 1, None),
    ("injected", injected("r4", None, "hook", tags=["cache"], role_hint="user_block"), "post_turn", 2, "Cached."),
    ("dropped", {"reminder_id": "r4", "reason": "capability_mismatch"}, "model_call", 2, None),
]
TEXT = """\
session s1, turns 0 to 2
        0 1 2
anchor  +-Rx
note    +-Rd
note      +-R
cache       +!
+ injected, R rendered, d deduped, x expired, ! dropped, - pending

turn  seam           reminder  source           what                   why
0     session_start  anchor    stdlib_provider  injected               anchor on SessionStart
0     session_start  note      in_pipeline      injected               by the script
1     model_call     anchor    stdlib_provider  rendered as system     hint system
1     model_call     note      in_pipeline      rendered as developer  hint system
1     post_turn      anchor    stdlib_provider  expired                ttl: its turns are over
1     iteration_end  note      in_pipeline      deduped                replaced by r3
1     iteration_end  note      bridge           injected               from the host
2     model_call     note      bridge           rendered as system     hint system
2     post_turn      cache     hook             injected               returned by a hook
2     model_call     cache     hook             dropped                capability_mismatch: the route has no slot for it
"""


def tell(log, session="s1"):
    for kind, payload, seam, turn, body in STORY:
        headers = {"harn.seam": seam, "harn.turn": str(turn)} | ({} if body is None else {"harn.body": body})
        log.emit(TOPIC, f"transcript.reminder.{kind}", {"session_id": session, **payload}, headers)
        log.emit("other", "noise", None)


@pytest.fixture(params=["events.jsonl", "store.sqlite"])
def stored(request, tmp_path):
    path = str(tmp_path / request.param)
    log = open_log(Clock(), *((path, None) if path.endswith("jsonl") else (None, path)))
    tell(log)
    log.close()
    return path


def harnlite(*arguments):
    return run_command(*arguments)


def test_the_text(stored):
    done = harnlite("timeline", stored)
    assert (done.stdout, done.stderr, done.returncode) == (TEXT, "", 0)


def test_one_session_of_several(tmp_path):
    path = str(tmp_path / "events.jsonl")
    log = open_log(Clock(), path)
    tell(log)
    tell(log, "s2")
    log.close()
    assert harnlite("timeline", path, "--session", "s1").stdout == TEXT
    both = harnlite("timeline", path).stdout
    assert both.count("session s2") == 2
    assert both.startswith("session s1, turns 0 to 2\n")


def test_colour_is_for_people(stored):
    assert "\x1b[33mexpired" in harnlite("timeline", stored, "--color", "always").stdout
    assert "\x1b[" not in harnlite("timeline", stored).stdout


def test_logs_that_say_nothing(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"cursor":1,"hea')
    assert harnlite("timeline", str(empty)).stdout == "No reminders.\n"
    empty.write_text("no record\n")
    assert harnlite("timeline", str(empty)).stderr.endswith("empty.jsonl': it is not an event log\n")
    missing = harnlite("timeline", str(tmp_path / "none"))
    assert missing.returncode == 2
    assert "No such file" in missing.stderr


def test_records_that_cannot_be_read_are_counted(tmp_path):
    lines, store = tmp_path / "events.jsonl", tmp_path / "store.sqlite"
    log = open_log(Clock(), str(lines), str(store))
    tell(log)
    log.close()
    with lines.open("ab") as file:
        file.write(b'\n{"id": 0, "topic": "a", "kind": "k"}\n\xff\xfe\n{"cursor":9,"hea')
    crafted = sqlite3.connect(store)
    crafted.execute("UPDATE event_records SET payload = 'x' WHERE topic = 'other' AND id > 2")
    (changed,) = crafted.execute("SELECT changes()").fetchone()
    crafted.commit()
    crafted.close()
    for path, skipped in ((lines, 2), (store, changed)):
        done = harnlite("timeline", str(path))
        assert (done.stdout, done.returncode) == (TEXT, 0)
        assert done.stderr == f"{path}: skipped {skipped} records that cannot be read\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(9000), "it is not an event log"),
        (b"PK\x03\x04" * 1000, "it is not an event log"),
        (b"\xff\xfe\x00", "it is not an event log"),
        (b"SQLite format 3\0" + bytes(5000), "file is not a database"),
        (b"SQLite format 3\0", "file is not a database"),
    ],
)
def test_files_that_are_not_logs(content, reason, tmp_path):
    path = tmp_path / "events"
    path.write_bytes(content)
    done = harnlite("timeline", str(path))
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.endswith(f"cannot read '{path}': {reason}\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_may_never_end_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "pipe", "it is a named pipe, not a regular file"),
        ("/dev/zero", "it is a character device, not a regular file"),
        (tmp_path, "Is a directory"),
    ):
        done = harnlite("timeline", str(path))
        assert (done.stdout, done.returncode) == ("", 2)
        assert done.stderr.endswith(f"cannot read '{path}': {what}\n")


def test_a_log_that_is_written_during_the_look(tmp_path):
    path = str(tmp_path / "events.jsonl")
    log = open_log(Clock(), path)
    tell(log)
    stop = threading.Event()

    def write():
        # With pauses: while the machine is busy, the log would otherwise grow by gigabytes before it is read.
        while not stop.wait(0.001):
            log.emit("other", "noise", "x" * 5000)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        done = harnlite("timeline", path)
    finally:
        stop.set()
        writer.join()
        log.close()
    assert (done.stdout, done.stderr, done.returncode) == (TEXT, "", 0)


def test_a_log_without_headers_still_has_turns():
    records = [
        {"kind": f"transcript.reminder.{kind}", "payload": {"session_id": "s", **payload}, "headers": {}}
        for kind, payload, *_ in STORY
    ]
    timeline = Timeline(records)
    assert [happening.turn for happening in timeline.happenings] == [0, 0, 1, 1, 1, 1, 1, 2, 2, 2]
    assert "the log has no body" in page(timeline, "t")


def test_a_long_session_fits_the_width(stored):
    records = read_log(stored).records
    for turn in range(3, 400):
        fired = {"session_id": "s1", "reminder_id": "r3", "turn_number": turn, "rendered_role": "system"}
        records.append({"kind": "transcript.reminder.fired", "payload": fired, "headers": {}})
    lines = text_of(Timeline(records), width=80).split("\n\n")[0].splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "session s1, turns 0 to 399, 12 turns a column"
    assert "turns 2 to 399: rendered as system (hint system)" in page(Timeline(records), "t")


def story(*steps, session="s1"):
    """Return records, each given as kind, turn, seam and the rest of the payload."""
    return [
        {
            "kind": f"transcript.reminder.{kind}",
            "payload": {"session_id": session, **payload},
            "headers": {"harn.turn": str(turn), "harn.seam": seam},
        }
        for kind, turn, seam, payload in steps
    ]


def test_a_further_loop_of_a_session_has_columns_of_its_own():
    old, new = injected("r1", "old", "bridge"), injected("r2", "new", "hook")
    records = story(
        ("injected", 0, "session_start", old),
        ("fired", 0, "model_call", {"reminder_id": "r1", "turn_number": 1}),
        ("fired", 1, "model_call", {"reminder_id": "r1", "turn_number": 2}),
        ("injected", 1, "model_call", new),  # while the model answers
        ("fired", 0, "model_call", {"reminder_id": "r1", "turn_number": 3}),
        ("expired", 0, "", {**new, "reason": "cleared"}),
        ("fired", 0, "model_call", {"reminder_id": "r1", "turn_number": 1}),
    )
    text = text_of(Timeline(records))
    assert text.startswith(
        "session s1, turns 0 to 3, 0 to 1\n     0 1 2 3 0 1\nold  +-R-R-R---R\nnew      +---x\n+ injected,"
    )
    drawn = page(Timeline(records), "t")
    assert "turns 1 to 3: rendered as None (hint system)\nturn 1: rendered as None (hint system)" in drawn
    assert ">2 reminders, turns 0 to 3, 0 to 1<" in drawn


def test_a_narrow_terminal_cuts_where_it_hurts_least(stored):
    lines = text_of(Timeline(read_log(stored).records), width=80).splitlines()
    assert max(map(len, lines)) == 80
    assert lines[-1] == "2     model_call   cache     hook         dropped                capability_mis…"


def test_names_without_keys_and_names_that_break_lines():
    tagged = injected("r1", "two\nlines \x1b[31m", "hook")
    plain = injected("01234567-89abcdef", None, "hook")
    wide = injected("r3", "注意", "hook")
    spoken = injected("r4", None, "hook")
    records = story(*(("injected", 0, "", each) for each in (tagged, plain, wide, spoken)), session="a\nb")
    records[-1]["headers"]["harn.body"] = "Do\nnot forget to look at all of the failing tests."
    lines = text_of(Timeline(records)).splitlines()
    assert lines[0] == "session a b, turns 0 to 0"
    assert [line.split("  ")[0] for line in lines[2:6]] == [
        "two lines \ufffd[31m",
        "89abcdef",
        "注意",
        "Do not forget to look at al…",
    ]
    assert [cells(line) for line in lines[2:6]] == [31] * 4


def test_a_long_body_is_cut_on_the_page():
    (record,) = story(("injected", 0, "", injected("r1", "k", "hook")))
    record["headers"]["harn.body"] = "ab" * 2003
    drawn = page(Timeline([record]), "t")
    assert "b…\n(6 more characters)</span>" in drawn


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"payload": [1], "headers": [1], "occurred_at_ms": "x"},
        {"payload": {"reminder_id": None, "replaced_ids": 5, "tags": 5, "source": 5, "dedupe_key": 7}, "headers": None},
        {"payload": {"turn_number": 10**12, "replaced_ids": []}, "headers": {"harn.turn": 5, "harn.body": 5}},
        {"payload": {"turn_number": -3}, "headers": {"harn.turn": "²"}, "occurred_at_ms": 1.5},
        {"payload": {}, "headers": {"harn.turn": "9" * 6000}},
    ],
)
def test_records_of_others(record, tmp_path):
    path = tmp_path / "odd.jsonl"
    kinds = ("injected", "fired", "deduped", "expired", "dropped", "inherited", "provider_evaluated", "new")
    lines = [{"id": 1, "topic": TOPIC, "kind": f"transcript.reminder.{kind}", **record} for kind in kinds]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    timeline = Timeline(read_log(str(path)).records)
    assert len(text_of(timeline, width=80)) < 2000
    assert len(page(timeline, "t")) < 20000


def test_the_page_escapes_and_asks_for_nothing(stored, tmp_path):
    target = tmp_path / "page.html"
    assert harnlite("timeline", stored, "--html", str(target)).returncode == 0
    text = target.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot;" in text
    assert not re.search(r"""(?:src|href|url)\s*[=(]|https?:""", text)
    assert harnlite("timeline", stored, "--html", "-").stdout == text
    assert harnlite("timeline", stored, "--html", str(tmp_path)).returncode == 2


def test_an_inherited_reminder_has_one_dot():
    fields = injected("r1", "milk", "inherited", originating_agent_id="p", propagate="session")
    records = story(("injected", 0, "", fields), ("inherited", 0, "", fields), ("fired", 1, "model_call", fields))
    drawn = page(Timeline(records), "t")
    chart = drawn.partition('<div class="chart"')[2]
    assert re.findall('<i class="([a-z]+)">', chart) == ["inherited", "rendered"]
    assert '<i class="inherited"></i> inherited' in drawn.partition("<section>")[0]


def test_nothing_is_between_a_chart_and_its_table(stored):
    drawn = page(Timeline(read_log(stored).records), "t")
    assert re.search(r"</div>\n</div></div>\n<details>", drawn)


def test_the_page_in_a_browser(browser, tmp_path):
    path, target = str(tmp_path / "events.jsonl"), tmp_path / "page.html"
    log = open_log(Clock(), path)
    tell(log)
    log.close()
    assert harnlite("timeline", path, "--html", str(target)).returncode == 0
    browser.open(target.as_uri())
    assert browser.value("document.title") == "Reminders in events.jsonl"
    assert browser.value("document.querySelectorAll('.bar').length") == 4
    assert browser.value("[...document.querySelectorAll('.turn')].map(e => e.textContent).join()") == "0,1,2"
    left = "document.querySelector('[data-reminder=r{0}]').getBoundingClientRect().left"
    assert browser.value(f"{left.format(1)} == {left.format(2)} && {left.format(2)} < {left.format(3)}")
    assert browser.value(f"{left.format(3)} < {left.format(4)}")
    turn = "document.querySelectorAll('.turn')[1].getBoundingClientRect().left"
    assert abs(browser.value(f"{left.format(3)} - {turn}")) < 1
    tip = "getComputedStyle(document.querySelector('[data-reminder=r2] .tip')).display"
    assert browser.value(tip) == "none"
    browser.hover("[data-reminder=r2]")
    assert browser.value(tip) == "block"
    assert browser.value("document.querySelector('[data-reminder=r2] .body').textContent") == EVIL
    shown = (
        "(() => { const tip = document.querySelector('[data-reminder=r2] .tip'); const r = tip.getBoundingClientRect();"
        " return [0.25, 0.5, 0.75].every(part => "
        "tip.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height * part))) })()"
    )
    assert browser.value(shown)
    colors = []
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colors.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    assert colors == ["rgb(255, 255, 255)", "rgb(20, 22, 26)"]
    assert browser.requests() == [target.as_uri()]
    assert not [event for event in browser.events if event.get("method") == "Log.entryAdded"]
