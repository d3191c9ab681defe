"""Random damage to the file of a log between operations: what is acknowledged afterwards can be read."""

import json
import os
import random
import shutil
import time

import pytest

from harnlite.durable_files import RECHECK_SECONDS
from harnlite.runtime.tasks.clock import Clock
from harnlite.store import sqlite_schema
from harnlite.store.event_log import open_log
from harnlite.store.stored_log import read_log
from harnlite.values.errors import ScriptError
from tests.samples import count, sampled

TOPICS = ("a", "b", "c")
NUMBERS = (-1, 0, 1, 5, 300, 2**40, 2**53, 2**62, 2**63 - 1, 2**63, 10**30, True, "7", 1.5, None, [])


def crafted_line(chance):
    record = {
        "id": chance.choice(NUMBERS),
        "topic": chance.choice(TOPICS),
        "kind": "k",
        "payload": chance.choice(NUMBERS),
    }
    record["cursor"] = chance.choice(NUMBERS)
    for name in chance.sample(sorted(record), chance.randrange(3)):
        record[name] = chance.choice([{}, "x" * 300, chance.choice(NUMBERS)])
    start = {"cursor": record.pop("cursor")} if chance.random() < 0.5 else {}
    data = json.dumps({**start, **record}, separators=(",", ":")).encode()
    if chance.random() < 0.3:
        data = data[: chance.randrange(len(data))]
    return data + chance.choice([b"\n", b"\n", b"", b"\n\n", b"\r\n"])


def truncate(path, chance):
    os.truncate(path, chance.randrange(os.path.getsize(path) + 1))


def write_bytes(path, chance):
    with open(path, "r+b") as file:
        file.seek(chance.randrange(os.path.getsize(path) + 1))
        file.write(chance.randbytes(chance.choice([1, 1, 20, 500])))


def append_garbage(path, chance):
    with open(path, "ab") as file:
        file.write(chance.randbytes(chance.randrange(200)) + chance.choice([b"", b"\n"]))


def append_records(path, chance):
    with open(path, "ab") as file:
        file.writelines(crafted_line(chance) for _ in range(chance.randrange(1, 4)))


def delete(path, _):
    os.unlink(path)


def delete_all(path, _):
    for name in os.listdir(os.path.dirname(path)):
        os.unlink(os.path.join(os.path.dirname(path), name))


def delete_folder(path, _):
    shutil.rmtree(os.path.dirname(path))


def rename(path, _):
    os.replace(path, f"{path}.1")


def put_old_back(path, chance):
    if os.path.exists(f"{path}.1"):
        chance.choice([os.replace, shutil.copyfile])(f"{path}.1", path)


def copy_and_truncate(path, _):
    shutil.copyfile(path, f"{path}.1")
    os.truncate(path, 0)


def swap_lines(path, chance):
    with open(path, "rb") as file:
        lines = file.readlines()
    chance.shuffle(lines)
    with open(path, "wb") as file:
        file.writelines(lines)


DAMAGE = (
    truncate,
    write_bytes,
    append_garbage,
    append_records,
    append_records,
    delete,
    delete_all,
    delete_folder,
    rename,
    put_old_back,
    copy_and_truncate,
    swap_lines,
)


class Session:
    """A log that two writers use while its file is damaged, and what must be true of it."""

    def __init__(self, kind, folder, chance):
        self.path = os.path.join(folder, "logs", "events.jsonl")
        self.kind = kind
        self.chance = chance
        os.mkdir(os.path.dirname(self.path))
        self.writers = [self.opened(), self.opened()]
        self.largest = [{}, {}]
        self.heard = []
        self.written = {}
        self.writers[0].subscribe("a", 0, "", lambda record: self.heard.append(record["id"]))

    def opened(self):
        return open_log(Clock(), *((self.path, None) if self.kind == "jsonl" else (None, self.path)))

    def open_and_close(self):
        self.opened().close()

    def read_all(self):
        read_log(self.path)

    def close(self):
        for writer in self.writers:
            writer.close()

    def write(self):
        index, topic, size = self.chance.randrange(2), self.chance.choice(TOPICS), self.chance.randrange(1, 4)
        before = self.largest[index].get(topic, 0)
        text = f"{self.chance.random()}" * self.chance.choice([1, 1, 1, 400])
        if size == 1:
            first = last = self.writers[index].emit(topic, "k", text)
        else:
            self.writers[index].emit_many(topic, [("k", text)] * size)
            last = self.writers[index].latest(topic)
            first = last - size + 1
        assert before < first, "ids never go down"
        self.largest[index][topic] = last
        for number in range(first, last + 1):
            self.written[topic, number] = text
        found = self.writers[index].read(topic, first - 1)
        assert [(record["id"], record["payload"]) for record in found] == [(n, text) for n in range(first, last + 1)]

    def look(self):
        """Compare what a new reader and the whole file have with what has been written since the last damage."""
        fresh = self.opened()
        try:
            for topic in TOPICS:
                ids = [record["id"] for record in fresh.read(topic)]
                assert ids == sorted(set(ids))
                found = {record["id"]: record["payload"] for record in fresh.read(topic)}
                wanted = {number: text for (name, number), text in self.written.items() if name == topic}
                assert wanted.items() <= found.items()
                assert [record["id"] for record in fresh.read(topic, 0, "", 3)] == ids[:3]
        finally:
            fresh.close()
        stored = {(record["topic"], record["id"], str(record["payload"])) for record in read_log(self.path).records}
        assert {(*place, text) for place, text in self.written.items()} <= stored

    def damage(self):
        try:
            self.chance.choice(DAMAGE)(self.path, self.chance)
        except FileNotFoundError:
            return
        finally:
            self.written = {}
            if self.kind == "jsonl":
                time.sleep(2 * RECHECK_SECONDS)  # then the writers see another file at the path

    def read_anything(self):
        for writer in self.writers:
            for topic in TOPICS:
                writer.read(topic, self.chance.choice([0, 1, 3, 2**63, -1]), "k", self.chance.choice([None, 0, 1, 5]))


@sampled
@pytest.mark.timeout(600)
def test_a_log_in_lines_keeps_what_is_written_after_the_damage(tmp_path):
    for seed in range(count(3000, 60)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        session = Session("jsonl", str(folder), random.Random(seed))
        try:
            for _ in range(30):
                session.chance.choice([session.write, session.write, session.damage, session.read_anything])()
                if session.chance.random() < 0.2:
                    session.write()
                    session.look()
            assert session.heard == sorted(set(session.heard))
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        session.close()
        shutil.rmtree(folder)


def error_of(step):
    """Return the text of the error of a step, or of the session itself if there is none."""
    try:
        step()
    except ScriptError as error:
        return str(error)
    except OSError as error:
        return str(error.filename)
    return step.__self__.path


@sampled
@pytest.mark.timeout(600)
def test_a_damaged_store_fails_with_errors_that_name_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_schema, "PATIENCE_SECONDS", 0.2)  # a damaged lock table may look locked for ever
    for seed in range(count(1500, 40)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        session = Session("sqlite", str(folder), random.Random(seed))
        for _ in range(20):
            step = session.chance.choice([session.write, session.write, session.damage, session.read_anything])
            assert session.path in error_of(step), seed
            if session.chance.random() < 0.2:
                assert session.path in error_of(session.open_and_close), seed
                assert session.path in error_of(session.read_all), seed
        shutil.rmtree(folder / "logs", ignore_errors=True)
        assert session.writers[0].emit("a", "k", "after") > session.largest[0].get("a", 0)
        session.close()
        shutil.rmtree(folder)
