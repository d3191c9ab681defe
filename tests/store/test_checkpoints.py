"""Checkpoints: stored in one file of the project for each script."""

import json

import harnlite

STAGES = """
import "std/checkpoint"
let first = checkpoint_stage("load", { -> println("loading"); [1, 2] })
println(first)
println(checkpoint_stage("nothing", { -> println("once"); nil }))
println(checkpoint_list())
var tries = 0
fn shaky() { tries += 1; if tries < 3 { throw "try ${tries}" }; return tries }
println(checkpoint_stage_retry("shaky", 5, shaky))
try { checkpoint_stage_retry("broken", 2, { -> throw {code: 5} }) } catch (e) { println(e) }
try { checkpoint_stage_retry("never", 0, { -> 1 }) } catch (e) { println(e) }
"""


def run(path, text):
    path.write_text(text)
    result = harnlite.Engine(cache=False).run(path)
    assert result.ok, result.error
    return result.stdout.splitlines()


def test_a_stage_runs_once_for_all_runs(tmp_path):
    script = tmp_path / "etl.harn"
    tail = [
        "3",
        "checkpoint_stage_retry failed after 2 attempts: {code: 5}",
        "checkpoint_stage_retry failed after 0 attempts: unknown error",
    ]
    assert run(script, STAGES) == ["loading", "[1, 2]", "once", "nil", "[load, nothing]", *tail]
    assert run(script, STAGES) == ["[1, 2]", "nil", "[load, nothing, shaky]", *tail]
    assert json.loads((tmp_path / ".harn/checkpoints/etl.json").read_text()) == {
        "load": [1, 2],
        "nothing": None,
        "shaky": 3,
    }


def test_each_script_has_its_own(tmp_path):
    run(tmp_path / "one.harn", 'checkpoint("k", 1)')
    assert run(tmp_path / "two.harn", 'println(checkpoint_exists("k"))') == ["false"]
    assert run(
        tmp_path / "one.harn", 'println(checkpoint_get("k")); checkpoint_delete("k"); println(checkpoint_list())'
    ) == [
        "1",
        "[]",
    ]


def test_what_json_lacks_is_nil_and_clearing_removes_the_file(tmp_path):
    lines = run(
        tmp_path / "one.harn",
        'checkpoint("f", { x -> x }); println(checkpoint_get("f")); println(checkpoint_exists("f"));'
        "checkpoint_clear(); println(checkpoint_list()); checkpoint_clear()",
    )
    assert lines == ["nil", "true", "[]"]
    assert not (tmp_path / ".harn/checkpoints/one.json").exists()


def test_memory_lies_in_the_project_of_the_script(tmp_path, monkeypatch):
    (tmp_path / "harn.toml").write_text("")
    (tmp_path / "sub").mkdir()
    script = tmp_path / "sub" / "one.harn"
    text = (
        'import "std/memory"; memory_store("notes", "k", "v"); println(memory_recall("notes", "v1 k2 nothing").count())'
    )
    monkeypatch.delenv("HARN_MEMORY_ROOT", raising=False)
    monkeypatch.delenv("HARNLITE_MEMORY_ROOT", raising=False)
    assert run(script, text) == ["0"]
    assert (tmp_path / ".harn/memory/notes/events.jsonl").exists()
    monkeypatch.setenv("HARN_MEMORY_ROOT", str(tmp_path / "elsewhere"))
    assert run(script, text) == ["0"]
    assert (tmp_path / "elsewhere/notes/events.jsonl").exists()
