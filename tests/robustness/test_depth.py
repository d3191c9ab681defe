"""Deep nesting gives a result or a clear error."""

import pytest

import harnlite
from tests.commands import run_command
from tests.samples import slow

DEEP = 5_000
STACK = "Stack overflow: too many nested calls"
SOURCES = {
    "parentheses": "(" * DEEP + "1" + ")" * DEEP,
    "lists": "[" * DEEP + "]" * DEEP,
    "dicts": "{a: " * DEEP + "1" + "}" * DEEP,
    "closures": "{ -> " * DEEP + "1" + "}" * DEEP,
    "calls": "len(" * DEEP + "1" + ")" * DEEP,
    "unary": "!" * DEEP + "true",
    "minus": "- " * DEEP + "1",
    "interpolations": '"${' * 200 + "1" + '}"' * 200,
    "powers": "1" + " ** 1" * DEEP,
    "ternaries": "true ? (" * 500 + "1" + ") : 2" * 500,
    "blocks": "if true { " * DEEP + "1" + " }" * DEEP,
    "matches": "match 1 { _ -> { " * 500 + "1" + " } }" * 500,
    "types": "let x: " + "list<" * DEEP + "int" + ">" * DEEP + " = []",
    "patterns": "match [] { " + "[" * DEEP + "]" * DEEP + " -> { 1 } _ -> { 2 } }",
    "members": "nil" + "?.a" * DEEP,
    "indexes": "nil" + "?[0]" * DEEP,
    "method calls": '"x"' + ".trim()" * DEEP,
    "applications": "{ -> 1 }" + "()" * DEEP,
    "open brackets": "(" * DEEP,
    "closing brackets": ")" * DEEP,
    "open braces": "{" * DEEP,
    "mixed": "([{a: " * 1_500,
    "comments": "/*" * DEEP,
    "else if": "if false { 1 } " + "else if false { 1 } " * 2_000,
    "pipes": "1" + " |> _" * 2_000,
    "attributes": "@test\n" * DEEP + "fn f() { }",
}


@pytest.mark.parametrize("name", SOURCES)
def test_deep_source(name: str) -> None:
    result = harnlite.Engine(cache=False).run(SOURCES[name] + "\n")
    assert result.exit_code in (0, 1, 3)
    assert "internal error" not in result.stderr
    assert "Traceback" not in result.stderr
    assert result.exit_code == 0 or result.error


TERMS = {
    "sum": ("+".join(["1"] * 2_000), "2000"),
    "product": (" * ".join(["1"] * 2_000), "1"),
    "strings": (" + ".join(['"a"'] * 2_000) + " |> len", "2000"),
    "and": (" && ".join(["true"] * 2_000), "true"),
    "or": (" || ".join(["false"] * 2_000), "false"),
    "coalesce": (" ?? ".join(["nil"] * 2_000) + " ?? 5", "5"),
    "lines": ("\n  + ".join(["1"] * 2_000), "2000"),
    "list": ("[" + ", ".join(["1"] * 20_000) + "] |> len", "20000"),
    "arguments": ("max(" + ", ".join(["1"] * 1_000) + ")", "1"),
    "text": ('"' + "${1}" * 2_000 + '" |> len', "2000"),
}


@pytest.mark.parametrize("name", TERMS)
def test_long_expression(name: str) -> None:
    expression, expected = TERMS[name]
    result = harnlite.Engine(cache=False).run(f"println({expression})\n")
    assert result.stdout == expected + "\n" or result.error == "The program is nested too deeply to be compiled"


def test_many_statements() -> None:
    lines = "".join(f"fn f{i}(x) {{ return x + {i} }}\nn = f{i}(n)\n" for i in range(2_000))
    result = harnlite.Engine(cache=False).run(f"var n = 0\n{lines}println(n)\n")
    assert result.stdout == f"{sum(range(2_000))}\n", result.stderr[:1000]


GROWN = """
fn nest(depth, wrap) {
  var value = 1
  for i in 1 to depth { value = wrap(value) }
  return value
}
struct Box { inner: any }
enum Layer { Of(inner: any) }
let plain = [{ v -> [v] }, { v -> {k: v} }, { v -> pair(v, 0) }]
let shapes = plain + [{ v -> Box {inner: v} }, { v -> Layer.Of(v) }]
fn outcome(f) { return try { f() } catch (e) { e } }
"""


def test_data_nested_a_thousand_deep_works_or_says_why() -> None:
    program = """
    for wrap in shapes {
      let a = nest(1000, wrap)
      let b = nest(1000, wrap)
      println(outcome({ -> len("${a}") > 1000 }))
      println(outcome({ -> a == b }))
      println(outcome({ -> hash_value(a) == hash_value(b) }))
      println(outcome({ -> [a, b].unique().count() == 1 }))
      println(outcome({ -> json_stringify(a) != "" }))
    }
    println(outcome({ -> nest(200, { v -> set(pair(v, 0)) }) == nest(200, { v -> set(pair(v, 0)) }) }))
    """
    result = harnlite.Engine(cache=False).run(GROWN + program)
    lines = result.stdout.splitlines()
    assert len(lines) == 26, result.error
    assert set(lines) <= {"true", STACK}
    assert lines.count("true") > 15


@pytest.mark.parametrize("depth", [50_000, pytest.param(200_000, marks=slow)])
def test_data_nested_too_deep_is_an_error_that_can_be_caught(depth: int) -> None:
    program = """
    for wrap in shapes {
      let a = nest(DEPTH, wrap)
      let b = nest(DEPTH, wrap)
      println(outcome({ -> len("${a}") }))
      println(outcome({ -> a == b }))
    }
    println("alive")
    """.replace("DEPTH", str(depth))
    result = harnlite.Engine(cache=False).run(GROWN + program)
    lines = result.stdout.splitlines()
    assert lines[-1] == "alive", result.stderr[:500]
    assert len(lines) == 11
    for line in lines[:-1]:
        assert line in (STACK, "true") or line.isdigit()


def test_deep_data_goes_away_quietly() -> None:
    result = harnlite.Engine(cache=False).run(GROWN + "var a = nest(300000, shapes[0])\na = nil\nprintln(a)\n")
    assert result.stdout == "nil\n"


def test_recursion_goes_deep_and_its_end_can_be_caught() -> None:
    program = """
    fn down(n) { if n == 0 { return 0 }
      return 1 + down(n - 1) }
    println(down(19000))
    for i in 1 to 3 { println(try { down(1000000) } catch (e) { e }) }
    println(await(spawn { down(10000) }))
    println(await(spawn { try { down(1000000) } catch (e) { e } }))
    """
    result = harnlite.Engine(cache=False).run(program)
    assert result.stdout == f"19000\n{STACK}\n{STACK}\n{STACK}\n10000\n{STACK}\n", result.stderr


def test_an_uncaught_overflow_is_a_short_report() -> None:
    result = harnlite.Engine(cache=False).run("fn f(n) { return 1 + f(n + 1) }\nf(0)\n")
    assert result.exit_code == 1
    assert result.error == STACK


def test_the_limit_of_nested_calls_can_be_set() -> None:
    program = """
    fn f(n) { return n == 0 ? 0 : 1 + f(n - 1) }
    println(f(50))
    println(try { f(1000000) } catch (e) { e })
    """
    result = harnlite.Engine(cache=False, max_depth=200).run(program)
    assert result.stdout == f"50\n{STACK}\n"


@pytest.mark.parametrize(
    ("depth", "status", "report"), [(1_200, 0, ""), (50_000, 2, "--set-json n: a value is nested")]
)
def test_deep_json_on_the_command_line(depth: int, status: int, report: str) -> None:
    program = "pipeline main(n) { println(len(n)) }"
    done = run_command("run", "-c", program, "--set-json", f"n={'[' * depth}{']' * depth}")
    assert done.returncode == status
    assert report in done.stderr
    assert "internal error" not in done.stderr
