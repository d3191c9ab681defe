"""Every builtin and every method answers any arguments with a value or a language error."""

import random
import re
from pathlib import Path

import pytest

import harnlite
from tests.samples import count, sampled

ROOT = Path(__file__).parent.parent.parent
SEED = 5
CALLS = count(14, 5)
PAIRS = count(150, 60)
PRELUDE = """
struct S { x: any }
enum E { V(n: any), U }
fn gen1() { yield 1 }
fn attempt(f) { return try { deadline 2s { f() } } catch (e) { e } }
let held = channel("held")
"""
VALUES = [
    *(
        "nil",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "2",
        "9223372036854775807",
        "0 - 9223372036854775807 - 1",
        "0.0",
        "1.5",
        "-2.5",
    ),
    *(
        "0.0 / 0.0",
        "1.0 / 0.0",
        "1e300",
        '""',
        '"a"',
        '"é😀"',
        '"a,b c"',
        '"[{"',
        '"{\\"a\\": 1}"',
        '"2026-03-29"',
        '"UTC"',
    ),
    *("[]", "[1, 2, 3]", '["b", "a"]', "[nil, [1], {}]", "[1, 2.5]", "{}", "{a: 1, b: nil}", '{key: "k", value: 1}'),
    *("set()", "set(1, [2])", "pair(1, 2)", 'pair("k", 2)', "1 to 3", "5 to 1", "0ms", "-3s", "90m", "len", "{ -> 1 }"),
    *(
        "{ x -> x }",
        "{ x -> true }",
        "{ x -> throw x }",
        "{ a, b -> [a, b] }",
        "S {x: 1}",
        "E.V(1)",
        "E.U",
        "Ok(1)",
        'Err("e")',
    ),
    *(
        "iter([1, 2])",
        "gen1()",
        'channel("c")',
        "atomic(1)",
        "rng_seed(1)",
        "spawn { 1 }",
        "{timeout_ms: 1}",
        "{max: 2}",
    ),
    *(
        '{type: "int"}',
        '{type: 5, properties: [], items: 1, min: "x"}',
        '"/a/0"',
        '".a[0]"',
        '"(a|"',
        '"%Y"',
        "1774794605",
    ),
]
LEFT_OUT = {
    "exit",
    "sleep",
    "sleep_ms",
    "receive",
    "mailbox_receive",
    "read_line",
    "read_stdin",
    "prompt_user",
    "with_rate_limit",
}
LEAKS = re.compile(
    r"positional argument|object is not|has no attribute|NoneType|object at 0x|<class|<function|Traceback|takes \d"
    r"|unsupported operand|not supported between|missing \d|must be str\b|codec can't|invalid literal|unhashable"
    r"|__(?!default__)\w+__"
)


def declared() -> list[str]:
    text = (ROOT / "stdlib" / "builtins.harn").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^extern fn ([\w.]+)", text, re.MULTILINE)) - LEFT_OUT)


def run(lines: list[str]) -> str:
    body = "".join(f"attempt({{ -> {line} }}) |> println\n" for line in lines)
    result = harnlite.Engine(cache=False, capabilities=[], max_output=3_000_000).run(PRELUDE + body, stdin="one\ntwo\n")
    assert result.exit_code == 0, f"{result.error}\n{body}"
    return result.stdout


def arguments(dice: random.Random, most: int) -> str:
    return ", ".join(dice.choice(VALUES) for _ in range(dice.randint(0, most)))


GROUPS = [declared()[at : at + 40] for at in range(0, len(declared()), 40)]


@pytest.mark.parametrize("names", GROUPS, ids=[group[0] for group in GROUPS])
def test_builtins_ignore_what_is_too_much(names: list[str]) -> None:
    calls = [f"{name}({', '.join(['nil'] * 12)})" for name in names]
    assert not LEAKS.search(run(calls))


@sampled
@pytest.mark.parametrize("names", GROUPS, ids=[group[0] for group in GROUPS])
def test_builtins_answer_anything(names: list[str]) -> None:
    dice = random.Random(SEED + len(names[0]))
    for name in names:
        lines = [f"{name}({arguments(dice, 5)})" for _ in range(CALLS)]
        lines += [f"[{name}].map({{ f -> f({arguments(dice, 7)}) }})", f"{dice.choice(VALUES)} |> {name}"]
        output = run([f"{{ f -> {line} }}(0)" for line in lines])
        assert not LEAKS.search(output), (name, LEAKS.search(output), lines)


METHODS = [
    *(
        "count",
        "empty",
        "map",
        "filter",
        "reduce",
        "find",
        "any",
        "all",
        "every",
        "none",
        "flat_map",
        "sort",
        "sort_by",
    ),
    *("reverse", "join", "contains", "index_of", "find_index", "enumerate", "zip", "slice", "unique", "take", "skip"),
    *("sum", "min", "max", "min_by", "max_by", "flatten", "push", "pop", "first", "last", "partition", "group_by"),
    *("chunk", "each_slice", "window", "each_cons", "sliding_window", "compact", "tally", "iter", "len", "replace"),
    *("split", "trim", "trim_start", "trim_end", "starts_with", "ends_with", "lowercase", "upper", "substring"),
    *("last_index_of", "chars", "char_at", "repeat", "pad_left", "pad_right", "lines", "keys", "values", "entries"),
    *("has", "merge", "map_values", "rekey", "remove", "get", "add", "delete", "union", "intersect", "difference"),
    *("symmetric_difference", "is_subset", "is_superset", "is_disjoint", "to_list", "to_string", "next", "take_while"),
    *("skip_while", "chain", "chunks", "windows", "to_set", "to_dict", "for_each"),
]
RECEIVERS = [value for value in VALUES if not value.startswith("{ ")]


@sampled
@pytest.mark.parametrize("name", METHODS)
def test_methods_answer_anything(name: str) -> None:
    dice = random.Random(SEED + len(name))
    lines = [f"dyn({receiver}).{name}({arguments(dice, 3)})" for receiver in RECEIVERS[:: count(1, 3)]]
    lines += [f"dyn({receiver})?.{name}()" for receiver in RECEIVERS[:: count(4, 8)]]
    lines += [f"dyn({receiver}).{name}" for receiver in RECEIVERS[:: count(4, 8)]]
    output = run([f"{{ dyn -> {line} }}({{ x -> x }})" for line in lines])
    assert not LEAKS.search(output), (LEAKS.search(output), output)


OPERATORS = ["+", "-", "*", "/", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "??", "in", "not in", "to"]


@sampled
@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_answer_anything(operator: str) -> None:
    dice = random.Random(SEED)
    pairs = [(dice.choice(VALUES), dice.choice(VALUES)) for _ in range(PAIRS)]
    output = run([f"{{ a, b -> a {operator} b }}({a}, {b})" for a, b in pairs])
    assert not LEAKS.search(output), (LEAKS.search(output), output)
