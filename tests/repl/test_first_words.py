"""What everybody tries first: `exit`, `quit`, `help`, and the methods after a dot."""

from __future__ import annotations

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.builtins.methods import METHODS
from harnlite.host.engine import Engine
from harnlite.host.interactive import Interactive
from harnlite.repl.commands import command_of
from harnlite.repl.completion import complete, receiver_before
from tests.commands import run_command


@pytest.mark.parametrize("word", ["exit", "quit", "quit()", " exit "])
def test_a_word_ends_the_session(word):
    result = run_command("repl", stdin=f"1\n{word}\n2\n")
    assert (result.returncode, result.stdout, result.stderr) == (0, "1\n", "")


@pytest.mark.parametrize("word", ["help", "help()", ":help"])
def test_help_lists_the_commands(word):
    result = run_command("repl", stdin=f"{word}\n")
    assert ":doc NAME" in result.stdout
    assert result.returncode == 0


def test_help_of_a_name_is_its_documentation():
    assert run_command("repl", stdin="help(len)\n").stdout == run_command("repl", stdin=":doc len\n").stdout


@pytest.mark.parametrize("word", ["exit", "quit", "help"])
def test_a_bound_name_is_a_name(word):
    assert run_command("repl", stdin=f"let {word} = 41\n{word} + 1\n{word}\n").stdout == "42\n41\n"


@pytest.mark.parametrize("text", ["exit(3)", "exit()", "quitting", "help me", "x.exit"])
def test_everything_else_is_a_program(text):
    assert command_of(text, ()) is None


@pytest.mark.parametrize(
    ("text", "receiver"),
    [
        ("xs.", "xs"), ("f(xs.", "xs"), ("a.b.fil", "a.b"), ("x?.", "x"), ("[1, 2].", "[1, 2]"), ('"a b".tr', '"a b"'),
        ("f(1, [2]).x", "f(1, [2])"), ("let y = xs[0].", "xs[0]"), (".", ""), ("(.", ""), (")].", ""),
    ],
)  # fmt: skip
def test_the_expression_before_a_dot(text, receiver):
    assert receiver_before(text, len(text.rpartition(".")[0]) + 1) == receiver


@pytest.mark.parametrize(
    ("text", "kind"),
    [("xs.", "list"), ("[1].", "list"), ('"a".', "string"), ("name.", "string"), ("{a: 1}.", "dict"), ("1 + n.", "int"),
     ("d.", "dict"), ("[1].map({ x -> x }).", "list"), ("f(xs, name.", "string")],
)  # fmt: skip
def test_only_methods_of_the_type_are_offered(text, kind):
    session = Interactive(Engine())
    try:
        session.perform('let xs = [1]\nlet name = "a"\nlet n = 1\nlet d = {k: 1}')
        found = complete(text, len(text), session.members(), load_declarations(), session.kind_of)
    finally:
        session.close()
    offered = {item.label for item in found if item.kind == "method"}
    assert offered == set(METHODS[kind])
