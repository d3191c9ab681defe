"""The attempts of a hostile script have harmless results: a name is only a name, a text only a text."""

import re
import threading
from pathlib import Path

import pytest

import harnlite

PRELUDE = """
fn dyn(x) { return x }
fn attempt(f) { return try { f() } catch (e) { e } }
struct Plain { a: int }
enum Kind { One(v: int), Two }
fn numbers() { yield 1 }
fn loop_for_ever() { return 1 + loop_for_ever() }
"""

PYTHON_SHOWS = re.compile(
    r"<(class|function|module|built-in|bound method|frame|code|cell|generator object|method)\b"
    r"|object at 0x|Traceback|__main__|site-packages"
)

# An expression, and a text that must be in what it gives (or in the error that is caught).
EXPRESSIONS = {
    # Properties are table lookups.
    "class of an int": ("dyn(5).__class__", "Type error: cannot access property `__class__` on int"),
    "class of a bool": ("dyn(true).__class__", "Type error: cannot access property `__class__` on bool"),
    "class of a float": ("dyn(1.5).__class__", "Type error: cannot access property `__class__` on float"),
    "class of nil": ("dyn(nil).__class__", "Type error: cannot access property `__class__` on nil"),
    "class of a string": ('dyn("x").__class__', "nil"),
    "class of a list": ("dyn([]).__class__", "nil"),
    "class of a dict": ("dyn({}).__class__", "nil"),
    "class of a struct": ("dyn(Plain {a: 1}).__class__", "nil"),
    "class of an enum": ("dyn(Kind.Two).__class__", "nil"),
    "class of a set": ("dyn(set(1)).__class__", "Type error: cannot access property `__class__` on set"),
    "class of a pair": ("dyn(pair(1, 2)).__class__", "Type error: cannot access property `__class__` on pair"),
    "slots of a struct": ("[dyn(Plain {a: 1}).fields, dyn(Plain {a: 1}).type]", "[nil, nil]"),
    "slots of an enum": ("dyn(Kind.Two).enum", "nil"),
    "slots of a range": ("dyn(1 to 2).low", "Type error: cannot access property `low` on range"),
    "slots of a duration": ("dyn(1s).ms", "Type error: cannot access property `ms` on duration"),
    "globals of a closure": ("dyn({ -> 1 }).__globals__", "cannot access property `__globals__` on closure"),
    "code of a closure": ("dyn({ -> 1 }).__code__", "cannot access property `__code__` on closure"),
    "cells of a closure": ("dyn(dyn).__closure__", "cannot access property `__closure__` on closure"),
    "globals by subscript": ('dyn({ -> 1 })["__globals__"]', "Type error: cannot index into closure with string"),
    "globals of a dict": ('dyn({})["__globals__"]', "nil"),
    "implementation of a builtin": ("dyn(len).fn", "cannot access property `fn` on builtin"),
    "self of a builtin": ("dyn(len).__self__", "cannot access property `__self__` on builtin"),
    "frame of a generator": ("dyn(numbers()).gi_frame", "cannot access property `gi_frame` on generator"),
    "source of an iterator": ("dyn(iter([1])).source", "cannot access property `source` on iter"),
    "greenlet of a task": ("dyn(spawn { 1 }).greenlet", "cannot access property `greenlet` on task_handle"),
    "queue of a channel": ("dyn(channel()).items", "cannot access property `items` on channel"),
    "cell of an atomic": ("dyn(atomic(1)).value", "cannot access property `value` on atomic"),
    "state of a generator of chance": ("dyn(rng_seed(1)).random", "cannot access property `random` on rng"),
    "namespace": ("[stream.__class__, stream.__dict__, stream.__init__]", "[nil, nil, nil]"),
    "chain of dunders": ("dyn([]).__class__.__base__", "Type error: cannot access property `__base__` on nil"),
    "optional chain": ("dyn([])?.__class__?.__base__?.__subclasses__()", "nil"),
    # Methods are table lookups too.
    "method of object": ('dyn("x").__class__()', "Runtime error: string has no method `__class__`"),
    "init of a list": ("dyn([]).__init__([1])", "Runtime error: list has no method `__init__`"),
    "append of a list": ("dyn([]).append(1)", "Runtime error: list has no method `append`"),
    "getitem of a dict": ('dyn({a: 1}).__getitem__("a")', "Runtime error: dict has no method `__getitem__`"),
    "update of a dict": ("dyn({a: 1}).setdefault(1)", "Runtime error: dict has no method `setdefault`"),
    "encode of a string": ('dyn("x").encode("utf8")', "Runtime error: string has no method `encode`"),
    "format of a string": ('dyn("{0.__class__}").format(1)', "Runtime error: string has no method `format`"),
    "call of a closure": ("dyn({ -> 1 }).__call__()", "Runtime error: closure has no method `__call__`"),
    "call of a builtin": ("dyn(len).__call__([1])", "Runtime error: builtin has no method `__call__`"),
    "send into a generator": ("dyn(numbers()).send(1)", "Runtime error: generator has no method `send`"),
    "throw into a generator": ("dyn(numbers()).throw(1)", "Runtime error: generator has no method `throw`"),
    "bit_length of an int": ("dyn(5).bit_length()", "Runtime error: int has no method `bit_length`"),
    "hash of an enum": ("dyn(Kind.Two).__hash__()", "Runtime error: enum has no method `__hash__`"),
    "reduce of a struct": ("dyn(Plain {a: 1}).__reduce__()", "Runtime error: Plain has no method `__reduce__`"),
    "methods of a struct type": ("dyn(Plain).methods", "cannot access property `methods` on closure"),
    # Names of Python and of the machinery are unknown names.
    "import function": ('__import__("os")', "Undefined builtin: __import__"),
    "builtins module": ("__builtins__", "Undefined variable: __builtins__"),
    "name of the module": ("__name__", "Undefined variable: __name__"),
    "file of the module": ("__file__", "Undefined variable: __file__"),
    "interrupt flag": ("_hintr", "Undefined variable: _hintr"),
    "poll": ("_hpoll", "Undefined variable: _hpoll"),
    "eval as a value": ("eval", "Undefined variable: eval"),
    "type as Python's": ("dyn(object)", "Undefined variable: object"),
    "mangled variable": ("{ mine -> v_mine }(5)", "Undefined variable: v_mine"),
    "mangled variable, second scope": ("{ mine -> v2_mine }(5)", "Undefined variable: v2_mine"),
    "None": ("None", "Undefined variable: None"),
    "assignment to a machine name": ("{ -> _hintr = 1 }()", "Undefined variable: _hintr"),
    # Text stays text.
    "format field": ('format("{0.__class__} {}", 1)', "{0.__class__} 1"),
    "format key": ('format("{__class__} {a}", {a: 1})', "{__class__} 1"),
    "percent": ('format("%s %(a)s", 1)', "%s %(a)s"),
    "text that looks like an interpolation": ('"${dyn("\\${1 + 1}")}"', "${1 + 1}"),
    "interpolated property": ('"${dyn("x").__class__}"', "nil"),
    "text that looks like Python": ('dyn("\'; import os #")', "'; import os #"),
    "regex that runs nothing": ('regex_replace("a", "$__class__", "a")', ""),
    "key of a closure is its text": ("{ -> var d = {}\n d[dyn] = 1\n d }()", "{<fn(x)>: 1}"),
    "json of a closure": ("json_stringify([dyn, len, numbers()])", "[null,null,null]"),
    "jq of a dunder": ('jq({a: 1}, ".__class__.__base__")', "[nil]"),
    "pointer of a dunder": ('json_pointer({a: 1}, "/__class__")', "nil"),
    "yaml tag": ('try { yaml_parse("!!python/object/apply:os.getcwd []") } catch (e) { type_of(e) }', ""),
    # Error values hold no Python.
    "type of an error": ("type_of(attempt({ -> 1 / 0 }))", "string"),
    "traceback of an error": ("attempt({ -> 1 / 0 }).__traceback__", "nil"),
    "cause of an error": ("attempt({ -> 1 / 0 }).__cause__", "nil"),
    "error of a builtin": ("type_of(attempt({ -> floor(1.0 / 0.0) }))", "string"),
    "error of the stack": ("type_of(attempt({ -> loop_for_ever() }))", "string"),
}


def run(program: str) -> harnlite.RunResult:
    return harnlite.Engine(cache=False).run(program)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression(name: str) -> None:
    expression, expected = EXPRESSIONS[name]
    result = run(f"{PRELUDE}println(attempt({{ -> {expression} }}))\n")
    assert expected in result.stdout, result.stderr
    assert not PYTHON_SHOWS.search(result.stdout + result.stderr)
    assert result.exit_code == 0


FUNCTIONS = [
    "eval",
    "compile",
    "getattr",
    "setattr",
    "globals",
    "locals",
    "vars",
    "open",
    "input",
    "breakpoint",
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_python_are_unknown(name: str) -> None:
    result = run(f'println("never")\n{name}("1")\n')
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"call target `{name}` is not defined or imported" in str(result.error)


KEYWORDS = ["class", "def", "lambda", "None", "True", "False", "global", "nonlocal", "del", "async", "pass", "raise"]
NAMES = [
    "print",
    "object",
    "self",
    "v_x",
    "_hintr",
    "_hpoll",
    "_",
    "__builtins__",
    "__name__",
    "__file__",
    "__import__",
]


@pytest.mark.parametrize("name", KEYWORDS + NAMES)
def test_a_name_is_only_a_name(name: str) -> None:
    program = f"""
    fn outer({name}) {{
      let inner = {{ -> {name} }}
      return inner() + 1
    }}
    fn f() {{
      var {name} = 1
      {name} += 1
      return [1, 2].map({{ x -> x + {name} }})
    }}
    println(outer(1))
    println(f())
    println({{{name}: 5}}.{name})
    println([3, 1].sort())
    """
    result = run(program)
    if name == "_":
        assert result.error == "Undefined variable: _"
        return
    assert result.stdout == "2\n[3, 4]\n5\n[1, 3]\n", result.stderr


HOOKS = ["__init__", "__new__", "__getattr__", "__eq__", "__hash__", "__str__", "__call__", "__del__", "__class__"]


@pytest.mark.parametrize("name", HOOKS)
def test_methods_and_fields_named_like_hooks_of_python(name: str) -> None:
    program = f"""
    struct S {{ {name}: any, x: int }}
    struct M {{ x: int }}
    impl M {{ fn {name}(self, a = 1) {{ return "called ${{a}}" }} }}
    enum E {{ {name}(v: int), Other }}
    fn {name}(x) {{ return x }}
    let s = S {{{name}: 5, x: 1}}
    var t = s
    t.{name} = 6
    println("${{s.{name}}} ${{t.{name}}} ${{s == t}} ${{s == s}}")
    println([M {{x: 1}}, M {{x: 1}}.{name}(2), {name}(3)])
    println(M {{x: 1}} == M {{x: 1}})
    println(E.{name}(4))
    println({{{name}: {{ -> "stored" }}}}.{name}())
    """
    result = run(program)
    assert result.stdout == f"5 6 false true\n[M {{x: 1}}, called 2, 3]\ntrue\nE.{name}(4)\nstored\n", result.stderr


def test_identifiers_are_not_folded_together() -> None:
    result = run("let ﬁ = 1\nlet fi = 2\nlet ℌ = 3\nlet H = 4\nprintln([ﬁ, fi, ℌ, H])\nprintln({ﬁ: 1, fi: 2})\n")  # noqa: RUF001
    assert result.stdout == "[1, 2, 3, 4]\n{fi: 2, ﬁ: 1}\n"


def test_strings_cannot_leave_their_quotes() -> None:
    evil = ["'", "\\'", "'''", '\\"', "\\n", "\\0", "\\u{2028}", "{}", "%", "\\\\", "`", "#", "\\u{feff}"]
    literals = ", ".join(f'"<{text}>"' for text in evil)
    entries = ", ".join(f"[texts[{i}]]: {i}" for i in range(len(evil)))
    program = f"let texts = [{literals}]\nprintln(texts.map(len))\nprintln({{{entries}}}.count())\n"
    assert run(program).stdout == "[3, 4, 5, 3, 3, 3, 3, 4, 3, 3, 3, 3, 3]\n13\n"


def test_extern_is_for_the_declarations_alone() -> None:
    result = run('extern fn system(command: string) -> int\nsystem("true")\n')
    assert (result.exit_code, result.stdout) == (3, "")


def test_parameters_of_the_host_are_only_names() -> None:
    result = harnlite.Engine(cache=False).run(
        "pipeline default(task) { println(task)\n println(try { __class__ } catch (e) { e }) }",
        params={"task": "${1 + 1} {task.__class__}"},
    )
    assert result.stdout == "${1 + 1} {task.__class__}\nUndefined variable: __class__\n"


def test_runs_do_not_see_each_other() -> None:
    engine = harnlite.Engine(cache=False)
    first = engine.run('shared_set("k", 1)\ncircuit_breaker("c", 1, 0)\nmock_time(5)\nprintln(shared_get("k"))')
    again = engine.run('println(shared_get("k"))\nprintln(circuit_check("c"))\nprintln(now_ms() > 5)')
    assert (first.stdout, again.stdout) == ("1\n", "nil\nclosed\ntrue\n")


LOOK_AT_ARGUMENTS_FIRST = {"__host_test_folder"}
ASKED_AS = {"__host_snapshot": "assert_snapshot"}


def capabilities_of_builtins() -> dict[str, str]:
    text = (Path(harnlite.__file__).parent.parent / "stdlib" / "builtins.harn").read_text(encoding="utf-8")
    found = re.findall(r'^@capability\("([\w.]+)"\)\nextern fn ([\w.]+)', text, re.MULTILINE)
    return {name: capability for capability, name in found}


CAPABILITY_OF = capabilities_of_builtins()


@pytest.mark.parametrize("name", sorted(CAPABILITY_OF.keys() - LOOK_AT_ARGUMENTS_FIRST))
def test_a_capability_that_is_not_given_stays_closed(name: str) -> None:
    program = f"""
    fn attempt(f) {{ return try {{ f() }} catch (e) {{ e }} }}
    let held = {name}
    let args = ["a", "b", "c"]
    println(attempt({{ -> {name}(...args) }}))
    println(attempt({{ -> held(args[0], args[1], args[2]) }}))
    println(attempt({{ -> [args].map({{ some -> held(...some) }}) }}))
    println(attempt({{ -> await(spawn {{ held(args[0], args[1], args[2]) }}) }}))
    println(attempt({{ -> {{f: {name}}}.f(...args) }}))
    """
    result = harnlite.Engine(cache=False, deny=[CAPABILITY_OF[name]]).run(program)
    # What a module of the standard library asks of the host is refused under the name that the script has called.
    known = ASKED_AS.get(name, name.removeprefix("__host_"))
    start = f"Error [tool_rejected]: Tool '{known}' is not permitted: it needs {CAPABILITY_OF[name]} (--allow "
    lines = result.stdout.splitlines()
    # A model call throws or returns a dict with the message.
    texts = [line[line.find(start) :] if line.startswith(("{", "[{")) else line for line in lines]
    assert [text[: len(start)] for text in texts] == [start] * 5, result.error


def test_engines_in_threads_do_not_see_each_other() -> None:
    program = """
    var n = 0
    shared_set("id", argv.first)
    for i in 1 to 20000 { n += 1 }
    sleep(5ms)
    let stopped = try { deadline 30ms { while true { n += 1 } } } catch (e) { e }
    println(parallel 3 { i -> "${argv.first} ${i}" })
    println("${shared_get("id")} ${stopped}")
    """
    results: dict[str, harnlite.RunResult] = {}

    def work(name: str) -> None:
        results[name] = harnlite.Engine(cache=False).run(program, argv=[name])

    threads = [threading.Thread(target=work, args=(f"run{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for name, result in results.items():
        assert result.stdout == f"[{name} 0, {name} 1, {name} 2]\n{name} Deadline exceeded\n", result.error
    assert len(results) == 4
