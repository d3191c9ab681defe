"""The log of a run, as an embedding program sees it."""

import errno
import io
import os
import threading
import time

import pytest

import harnlite
from harnlite.diagnostics.source import Source
from harnlite.host import toolchain
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import log_of, open_log
from harnlite.store.memory_event_log import MemoryLog
from harnlite.store.stored_log import read_log
from harnlite.values.errors import ScriptError

EMIT = 'println(event_log.emit("work", "k", {n: 1})); println(event_log.latest("work"))'


def test_each_run_has_a_log_of_its_own():
    engine = harnlite.Engine()
    assert [engine.run(EMIT).stdout for _ in range(2)] == ["1\n1\n"] * 2


def test_an_engine_may_name_files(tmp_path):
    events, store = str(tmp_path / "e.jsonl"), str(tmp_path / "s.sqlite")
    engine = harnlite.Engine(events=events, store=store)
    assert [engine.run(EMIT).stdout for _ in range(2)] == ["1\n1\n", "2\n2\n"]
    assert [record["id"] for record in read_log(events).records] == [1, 2]
    assert read_log(events).records == read_log(store).records


def test_a_file_that_cannot_be_opened_is_an_error_of_the_script(tmp_path):
    result = harnlite.Engine(events=str(tmp_path / "none" / "e.jsonl")).run(EMIT)
    assert "event_log: cannot open" in result.error
    caught = harnlite.Engine(store=str(tmp_path)).run(f"try {{ {EMIT} }} catch (e) {{ println(e) }}")
    assert caught.stdout.startswith(f"Runtime error: event_log: cannot open '{tmp_path}': ")


def test_the_log_of_a_host_goes_before_all_others(tmp_path):
    given = MemoryLog(Clock())
    run = harnlite.Engine(events=str(tmp_path / "e.jsonl")).execution()
    run.context["event_log"] = given
    assert log_of(run) is given
    assert not (tmp_path / "e.jsonl").exists()


def test_a_script_hears_what_another_thread_writes():
    listening = threading.Event()

    class Given(MemoryLog):
        def watch(self, topic, on_change):
            listening.set()
            return super().watch(topic, on_change)

    given, output = Given(Clock()), io.StringIO()
    text = 'var n = 0; for r in event_log.subscribe("t") { n += r.payload; if n >= 6 { break } }; println(n)'

    def write():
        listening.wait(10)
        for number in (1, 2, 3):
            time.sleep(0.02)
            given.emit("t", "k", number)

    writer = threading.Thread(target=write)
    writer.start()
    outcome = toolchain.run(
        harnlite.Engine(),
        Source(text, "x"),
        params={},
        stdout=output,
        prepare=lambda run: run.context.update(event_log=given),
    )
    writer.join()
    assert (outcome.status, output.getvalue()) == (0, "6\n")


def test_only_logs_that_somebody_reads_later_are_detailed(tmp_path):
    assert not open_log(Clock()).detailed
    log = open_log(Clock(), str(tmp_path / "e.jsonl"))
    assert log.detailed
    log.close()
    with pytest.raises(OSError, match="not a regular file"):
        open_log(Clock(), os.devnull)


def test_records_that_the_disk_refuses(monkeypatch, tmp_path):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    log = open_log(Clock(), str(tmp_path / "e.jsonl"))
    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(ScriptError, match=r"cannot write .*e\.jsonl: No space left"):
        log.emit("a", "k", None)
    log.close()
