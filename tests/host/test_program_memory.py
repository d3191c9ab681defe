"""A host remembers the programs of earlier turns, and each turn sees the files as they are."""

import pytest

from harnlite import Engine, Host, LanguageError
from harnlite.compiler import program
from harnlite.compiler.program import ProgramMemory, load
from harnlite.diagnostics.source import Source
from harnlite.regular_files import regular_file


@pytest.fixture
def files(tmp_path):
    (tmp_path / "part.harn").write_text("pub fn size(task) { return len(task) }\n")
    main = tmp_path / "main.harn"
    main.write_text('import { size } from "./part"\npipeline main(task) { return size(task) }\n')
    return main, tmp_path / "part.harn"


def test_a_changed_program_and_a_changed_import_are_read_anew(files):
    main, part = files
    with Host(script=main) as host:
        session = host.open()
        assert [host.prompt(session, "four").result(60) for _ in range(3)] == [4, 4, 4]
        part.write_text("pub fn size(task) { return 2 * len(task) }\n")
        assert host.prompt(session, "four").result(60) == 8
        main.write_text('import { size } from "./part"\npipeline main(task) { return [size(task)] }\n')
        assert host.prompt(session, "four").result(60) == [8]
        part.write_text("pub fn other(task) { return 1 }\n")
        with pytest.raises(LanguageError, match="size"):
            host.prompt(session, "four").result(60)


def test_a_program_whose_import_is_gone_is_not_remembered(files):
    main, part = files
    memory = ProgramMemory()
    source = Source(main.read_text(), "main.harn", str(main))
    known = load(source, memory=memory)
    assert memory.find(source, regular_file).code is known.code
    assert load(source, memory=memory).code is known.code
    assert memory.find(Source(source.text, "other.harn", str(main)), regular_file) is None
    assert memory.find(Source(source.text + "\n", "main.harn", str(main)), regular_file) is None
    part.unlink()
    assert memory.find(source, regular_file) is None


def test_an_engine_without_a_cache_compiles_each_time(files, monkeypatch):
    main, _ = files
    source, memory = Source(main.read_text(), "main.harn", str(main)), ProgramMemory()
    found = [load(source, cache=False, memory=memory).code for _ in range(2)]
    assert found[0] is not found[1]
    monkeypatch.setenv("HARNLITE_CACHE", "off")
    found = [load(source, memory=memory).code for _ in range(2)]
    assert found[0] is not found[1]
    with Host(Engine(cache=False), script=main) as host:
        assert host.prompt(host.open(), "four").result(60) == 4


def test_the_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(program, "_MOST_REMEMBERED", 4)
    memory = ProgramMemory()
    for number in range(20):
        load(Source(f"pipeline main() {{ return {number} }}\n", f"{number}.harn"), memory=memory)
    assert len(memory._known) <= 4


def test_turns_share_code_but_no_variables():
    script = "var count = 0\npipeline main(task) {\n  count = count + 1\n  sleep(20ms)\n  return count\n}\n"
    with Host(script=script) as host:
        turns = [host.prompt(host.open(), "x") for _ in range(20)]
        assert [turn.result(60) for turn in turns] == [1] * 20
