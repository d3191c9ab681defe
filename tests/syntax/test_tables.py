"""The parse tables: their generation, and their agreement with Lark."""

import logging
import os
import stat
from pathlib import Path

import lark
import pytest
from lark.lexer import Lexer as LarkLexer
from lark.lexer import Token as LarkToken

from harnlite.diagnostics.source import Source
from harnlite.syntax import rebuilt_tables, table_generator, tables
from harnlite.syntax.builder import Workshop
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.parser import BUILDERS, parse
from harnlite.syntax.prepass import Prepass
from harnlite.syntax.tokens import CLOSERS, SYMBOL_KINDS, WORD_KINDS

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def built():
    return table_generator.build(tables.grammar_text())


def test_the_packaged_tables_are_those_of_the_grammar(built):
    packaged = tables.packaged()
    assert packaged is not None
    assert packaged.facts() == built.facts()


def test_the_symbols_of_the_packaged_tables_are_found_by_identity():
    packaged = tables.packaged()
    assert packaged is not None
    symbols = {symbol: symbol for row in packaged.rows for symbol in row}
    used = [kind for kind in (*SYMBOL_KINDS.values(), *WORD_KINDS.values(), *CLOSERS) if kind in symbols]
    used += [rule[1] for rule in packaged.rules if rule[1] in symbols]
    assert len(used) > len(CLOSERS)
    assert [symbol for symbol in used if symbols[symbol] is not symbol] == []


def test_the_tokens_of_a_word_share_its_text():
    first, second, *_ = [token for token in Lexer(Source("long_name long_name")).read() if token.kind == "ID"]
    assert first.text is second.text


class Words(LarkLexer):
    """Gives Lark the tokens of the pre-pass."""

    def __init__(self, conf):
        pass

    def lex(self, text):
        raw = Lexer(Source(getattr(text, "text", text))).read()
        return (LarkToken(token.kind, token.text) for token in Prepass(raw).run() if token.kind != "END")


@pytest.fixture(scope="module")
def stock(caplog_session):
    return lark.Lark(
        tables.grammar_text(),
        parser="lalr",
        lexer=Words,
        start="module",
        keep_all_tokens=True,
        maybe_placeholders=True,
        debug=True,
    )


@pytest.fixture(scope="module")
def caplog_session():
    """Collect what Lark says about conflicts."""
    messages = []

    class Collect(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())

    handler = Collect()
    lark.logger.addHandler(handler)
    level = lark.logger.level
    lark.logger.setLevel(logging.DEBUG)
    yield messages
    lark.logger.setLevel(level)
    lark.logger.removeHandler(handler)


def test_the_only_conflict_is_the_else_of_a_guard(stock, caplog_session):
    assert [message for message in caplog_session if "onflict" in message] == [
        "Shift/Reduce conflict for terminal ELSE: (resolving as shift)"
    ]


def texts():
    for block in (HERE / "trees.txt").read_text().split("=== ")[1:]:
        title, _, rest = block.partition("\n")
        if title != "extern functions":
            yield pytest.param(rest.partition("\n---\n")[0], id=title)


@pytest.mark.parametrize("text", list(texts()))
def test_lark_reads_the_same_statements(text, stock):
    tree = stock.parse(text)
    assert count(tree.children[0]) == len(parse(Source(text)).module.statements)


def count(items):
    """Count the items of a left-recursive list."""
    total = 1
    while items.data == "more":
        total += 1
        items = items.children[0]
    return total


def callbacks():
    """Return the names of the callbacks that the builders have."""
    return {name.rstrip("_") for builder in BUILDERS for name in vars(builder) if not name.startswith("_")}


def test_every_callback_of_the_grammar_exists(built):
    names = {rule[2] for rule in built.rules if rule[2]}
    assert names <= callbacks()
    assert len(built.bind([builder(Workshop(Source(""))) for builder in BUILDERS])) == len(names) + 1


def test_every_callback_is_used(built):
    names = {rule[2] for rule in built.rules if rule[2]}
    assert callbacks() <= names


@pytest.fixture
def changed(monkeypatch, built):
    """Pretend that the grammar is not the one the packaged tables are for."""
    grammar = tables.grammar_text() + "\n// changed\n"
    builds = []

    def build(text):
        builds.append(text)
        return tables.Tables(text, *built.facts()[2:])

    monkeypatch.setattr(tables, "grammar_text", lambda: grammar)
    monkeypatch.setattr(table_generator, "build", build)
    return builds


def test_new_tables_are_kept_in_a_private_folder(changed, tmp_path):
    folder = tmp_path / "cache"
    first = rebuilt_tables.load(str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert rebuilt_tables.load(str(folder)).facts() == first.facts()
    assert len(changed) == 1
    assert [path.name for path in folder.iterdir()] == [tables.FILE_NAME]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes are POSIX")
def test_a_folder_that_others_may_write_is_not_believed(changed, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    rebuilt_tables.load(str(folder))
    rebuilt_tables.load(str(folder))
    assert len(changed) == 2
    assert not list(folder.iterdir())


def test_a_symbolic_link_is_not_believed(changed, tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "cache").symlink_to(tmp_path / "real")
    rebuilt_tables.load(str(tmp_path / "cache"))
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x00" * 100, b"i\x01\x00\x00\x00"])
def test_a_broken_file_is_replaced(changed, tmp_path, content):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    (folder / tables.FILE_NAME).write_bytes(content)
    rebuilt_tables.load(str(folder))
    rebuilt_tables.load(str(folder))
    assert len(changed) == 1


def test_without_a_folder_the_tables_are_built_in_memory(changed, tmp_path):
    assert rebuilt_tables.load("").rows
    missing = tmp_path / "file"
    missing.write_text("")
    assert rebuilt_tables.load(str(missing / "below")).rows


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HARNLITE_CACHE": "off"}, ""),
        ({"HARNLITE_CACHE": "/some/where"}, "/some/where"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/harnlite/tables"),
        ({"XDG_CACHE_HOME": "relative"}, ""),
    ],
)
def test_the_folder_is_the_users(monkeypatch, variables, expected):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert rebuilt_tables.default_folder() == expected
