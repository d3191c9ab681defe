"""Generated programs: mostly well-typed, so that they get far, with enough of everything that the guards must be right."""

from __future__ import annotations

from hypothesis import strategies as st

INTS = ["0", "1", "-1", "2", "3", "7", "10", "-5", "9223372036854775807", "(-9223372036854775807 - 1)", "4611686018427387904"]
FLOATS = ["0.0", "-0.0", "1.5", "2.0", "-3.25", "1e300", "0.1"]
STRINGS = ['""', '"a"', '"key"', '"12"', '"héé"']
BOOLS = ["true", "false"]
LISTS = ["[]", "[1, 2, 3]", '["a", 1, 2.5]', "[[1], [2, 3]]"]
DICTS = ["{}", "{a: 1, b: 2}", '{a: {b: [1, 2]}, key: "v"}']
OTHERS = ["nil", "2s", "(1 to 3)", "Point {x: 1, y: 2}", "Shape.Circle(2)", "Shape.Dot", "Ok(1)", 'Err("bad")', "pair(1, 2)", "set(1, 2)"]
NAMES = {
    "int": ["i", "j", "n"],
    "float": ["f", "g"],
    "string": ["s", "u"],
    "bool": ["b"],
    "list": ["xs", "ys"],
    "dict": ["d", "m"],
    "any": ["a", "p", "i", "f", "s", "xs", "d"],
}
LITERALS = {"int": INTS, "float": FLOATS, "string": STRINGS, "bool": BOOLS, "list": LISTS, "dict": DICTS, "any": [*INTS[:4], *FLOATS[:2], *STRINGS[:2], *OTHERS]}
KINDS = ["int", "float", "string", "bool", "list", "dict", "any"]
DEPTH = 4

HEAD = """struct Point { x: int, y: int }
impl Point {
  fn moved(self, by) { return Point {x: self.x + by, y: self.y} }
  fn total(self) { return self.x + self.y }
}
enum Shape { Circle(r: int), Dot }
fn add(p, q = 1) { return p + q }
fn down(p, q) {
  if p <= 0 { return q }
  return down(p - 1, q + p)
}
fn even(p) {
  if p == 0 { return true }
  return odd(p - 1)
}
fn odd(p) {
  if p == 0 { return false }
  return even(p - 1)
}
fn up(p) {
  var k = 0
  while k < p { yield k; k += 1 }
}
fn probe(label, f) {
  let r = try { f() }
  println("${label}: ${r}")
}
"""
VARIABLES = [
    "var i = 3", "var j = -2", "var n = 10", "var f = 1.5", "var g = 0.5", 'var s = "abc"', 'var u = "key"', "var b = true",
    "var xs = [1, 2, 3]", "var ys = [[1, 2], [3]]", "var d = {a: 1, b: 2}", "var m = {a: {b: 1}, key: [1]}", "var a = 5",
]


@st.composite
def expressions(draw: st.DrawFn, kind: str = "any", depth: int = DEPTH) -> str:
    """Draw an expression that mostly has that kind."""
    if draw(st.integers(0, 19)) == 0:
        kind = draw(st.sampled_from(KINDS))
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        pool = LITERALS[kind] if draw(st.booleans()) else [*NAMES[kind], *LITERALS[kind][:1]]
        return draw(st.sampled_from(pool))

    def sub(wanted: str) -> str:
        return draw(expressions(wanted, depth - 1))

    forms = {
        "int": [
            lambda: f"({sub('int')} {draw(st.sampled_from(['+', '-', '*']))} {sub('int')})",
            lambda: f"({sub('int')} {draw(st.sampled_from(['/', '%']))} {sub('int')})",
            lambda: f"{sub('int')} + {sub('int')} * {sub('int')} - {sub('int')}".join("()"),
            lambda: f"(-{sub('int')})",
            lambda: f"({sub('int')} ** {draw(st.sampled_from(['2', '3', '0', '-1', '63']))})",
            lambda: f"len({sub(draw(st.sampled_from(['string', 'list', 'dict'])))})",
            lambda: f"add({sub('int')}, {sub('int')})",
            lambda: f"down({draw(st.sampled_from(['3', 'i', '50']))}, {sub('int')})",
            lambda: f"({sub('list')}).map({{ x -> x * 2 }}).count()",
            lambda: f"({sub('any')} ?? {sub('int')})",
        ],
        "float": [
            lambda: f"({sub('float')} {draw(st.sampled_from(['+', '-', '*', '/', '%']))} {sub(draw(st.sampled_from(['float', 'int'])))})",
            lambda: f"({sub('int')} {draw(st.sampled_from(['+', '-', '*', '/']))} {sub('float')})",
        ],
        "string": [
            lambda: f"({sub('string')} + {sub('string')})",
            lambda: f'"<${{{sub("any")}}}>"',
            lambda: f"({sub('string')} * {draw(st.sampled_from(['0', '2', '-1']))})",
            lambda: f"({sub('string')}).{draw(st.sampled_from(['uppercase', 'trim', 'reverse']))}()",
        ],
        "bool": [
            lambda: f"({sub('int')} {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {sub('int')})",
            lambda: f"({sub('any')} {draw(st.sampled_from(['==', '!=', '<', '>=']))} {sub('any')})",
            lambda: f"({sub('bool')} {draw(st.sampled_from(['&&', '||']))} {sub('any')})",
            lambda: f"(!{sub('any')})",
            lambda: f"({sub('any')} in {sub('list')})",
            lambda: f"even({draw(st.sampled_from(['4', '7', 'n']))})",
        ],
        "list": [
            lambda: f"[{sub('any')}, {sub('any')}]",
            lambda: f"[...{sub('list')}, {sub('any')}]",
            lambda: f"({sub('list')} + {sub('list')})",
            lambda: f"({sub('list')}).push({sub('any')})",
            lambda: f"({sub('list')}).filter({{ x -> x != {sub('any')} }})",
            lambda: f"({sub('list')})[{sub('int')}:{sub('int')}]",
            lambda: "up(4).iter().to_list()",
        ],
        "dict": [
            lambda: f"{{a: {sub('any')}, key: {sub('any')}}}",
            lambda: f"{{...{sub('dict')}, b: {sub('any')}}}",
            lambda: f"{{[{sub('string')}]: {sub('any')}}}",
        ],
        "any": [
            lambda: f"({sub('list')})[{sub('int')}]",
            lambda: f"({sub('dict')})[{sub('string')}]",
            lambda: f"({sub('dict')}).{draw(st.sampled_from(['a', 'b', 'key']))}",
            lambda: f"({sub('any')})?.x",
            lambda: f"({sub('bool')} ? ({sub('any')}) : ({sub('any')}))",
            lambda: f"(if {sub('bool')} {{ {sub('any')} }} else {{ {sub('any')} }})",
            lambda: f"(match {sub('any')} {{ 1 | 2 -> {{ {sub('any')} }} Shape.Circle(r) -> {{ r + {sub('int')} }} [q, 2] -> {{ q }} {{a: q}} -> {{ q }} _ -> {{ {sub('any')} }} }})",
            lambda: f"(try {{ {sub('any')} }} catch (e) {{ e }})",
            lambda: f"({sub('any')} {draw(st.sampled_from(['+', '-', '*', '/', '%']))} {sub('any')})",
            lambda: f"Point {{x: {sub('int')}, y: {sub('int')}}}.{draw(st.sampled_from(['moved(1)', 'total()', 'x']))}",
            lambda: f"({sub('any')} |> add)",
            lambda: f"({sub('any')} |> [_, {sub('any')}])",
        ],
    }
    return draw(st.sampled_from(forms[kind]))()


@st.composite
def statements(draw: st.DrawFn, depth: int = 2, in_loop: bool = False) -> list[str]:
    """Draw a statement as lines."""
    kind = draw(st.sampled_from(KINDS))
    target = draw(st.sampled_from(NAMES[kind][:2]))
    if target == "p":
        target = "a"

    def block(inside: bool = in_loop) -> list[str]:
        lines = [line for _ in range(draw(st.integers(1, 3))) for line in draw(statements(depth - 1, inside))]
        return ["  " + line for line in lines]

    def value(wanted: str) -> str:
        return draw(expressions(wanted, 3))

    simple = [
        lambda: [f"{target} = {value(kind)}"],
        lambda: [f"i {draw(st.sampled_from(['+=', '-=', '*=', '/=', '%=']))} {value('int')}"],
        lambda: [f"s = s + {value('string')}", "if len(s) > 60 { s = s[0:9] }"],
        lambda: [f"xs = xs.push({value('any')})", "if len(xs) > 20 { xs = [xs, 1] }"],
        lambda: [f"xs[{draw(st.sampled_from(['0', '-1', 'i', '9', 'u']))}] = {value('any')}"],
        lambda: [f"d[{value('string')}] = {value('any')}"],
        lambda: [f"m.{draw(st.sampled_from(['a', 'key', 'z']))}.b = {value('any')}"],
        lambda: [f"d.a {draw(st.sampled_from(['+=', '-=']))} {value('int')}"],
        lambda: ["ys = [xs, d]"],
        lambda: [f"probe(\"{target}\", {{ -> {value('any')} }})"],
        lambda: [f'println("${{{value("any")}}}")'],
        lambda: [f"let q = {value('any')}", "a = q"],
    ]
    if in_loop:
        simple.append(lambda: [f"if {value('bool')} {{ {draw(st.sampled_from(['break', 'continue']))} }}"])
    nested = [
        lambda: [f"if {value('bool')} {{", *block(), "} else {", *block(), "}"],
        lambda: ["for k in 0 to 3 {", "  n += k", *block(True), "}"],
        lambda: [f"for item in {value('list')} {{", "  a = item", *block(True), "}"],
        lambda: ["n = 0", "while n < 3 {", "  n += 1", *block(True), "  if n < 0 { break }", "}"],
        lambda: ["try {", *block(), "} catch (e) {", '  println("caught ${e}")', "} finally {", "  j += 1", "}"],
        lambda: ["let act = { ->", *block(False), "}", 'probe("act", act)'],
        lambda: ["retry 2 {", *block(), "}"],
    ]
    return draw(st.sampled_from(simple if depth <= 0 else [*simple, *nested]))()


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a whole program: everything happens inside one pipeline, so that variables are local where they can be."""
    body = [line for _ in range(draw(st.integers(2, 8))) for line in draw(statements())]
    names = [line.split()[1] for line in VARIABLES]
    end = [f'println("{name}=${{{name}}}")' for name in names]
    inner = ["try {", *("  " + line for line in body), "} catch (e) {", '  println("error ${e}")', "}"]
    lines = [*VARIABLES, *inner, *end]
    return HEAD + "pipeline default() {\n" + "\n".join("  " + line for line in lines) + "\n}\n"
