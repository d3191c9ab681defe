"""Generated programs: mostly well-typed, so that they run far, with enough variety to exercise every guard.

A form is a text with holes: «int» is filled with an expression of that kind, «+|-|*» with one of the texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from random import Random

LITERALS = {
    "int": [
        "0",
        "1",
        "-1",
        "2",
        "3",
        "7",
        "10",
        "-5",
        "9223372036854775807",
        "(-9223372036854775807-1)",
        "4611686018427387904",
    ],
    "float": ["0.0", "-0.0", "1.5", "2.0", "-3.25", "1e300", "0.1"],
    "string": ['""', '"a"', '"key"', '"12"', '"héé"'],
    "bool": ["true", "false"],
    "list": ["[]", "[1, 2, 3]", '["a", 1, 2.5]', "[[1], [2, 3]]"],
    "dict": ["{}", "{a: 1, b: 2}", '{a: {b: [1, 2]}, key: "v"}'],
    "any": [
        *("0", "1", "-1", "2", "0.0", '""', '"a"', "nil", "2s", "(1 to 3)", "Point {x: 1, y: 2}", "Shape.Circle(2)"),
        *("Shape.Dot", "Ok(1)", 'Err("bad")', "pair(1, 2)", "set(1, 2)"),
    ],
}
# For variables that mostly keep one kind, so that the compiler can infer it: an int, an index of a list, a float.
LITERALS["sure"] = LITERALS["int"]
LITERALS["at"] = ["0", "1", "-1", "2", "5", "9223372036854775807"]
LITERALS["real"] = LITERALS["float"]
KINDS = [kind for kind in LITERALS if kind not in {"sure", "at", "real"}]
NAMES = {
    "int": ["i", "j", "n"],
    "float": ["f", "g"],
    "string": ["s", "u"],
    "bool": ["b"],
    "list": ["xs", "ys"],
    "dict": ["d", "m"],
    "any": ["a", "p", "i", "f", "s", "xs", "d", "li", "mm", "rec", "pt", "c1"],
    "sure": ["c1", "c2", "len(li)"],
    "at": ["c1", "c2 % 3", "len(ls) - 1", "i"],
    "real": ["r1", "r2"],
}
FORMS = {
    "sure": [
        "(«sure» «+|-|*» «sure»)",
        "(li[«at»] «+|-|*» «sure»)",
        "(c1 + li[«at»] * mm[«at»][«at»])",
        "(«sure» «/|%» «2|7|c1|-3»)",
        "(rec.x * rec.y - pt.x)",
        "(di[«string»] ?? «sure»)",
        "li.reduce(«sure», { m, x -> m «+|*|-» x })",
        "li.map({ x -> x * «sure» }).sum()",
        "fibo(«0|5|9»)",
        "scaled(li, «at»)",
        "counted(«sure», «sure»)",
        "len(«0|1|c1» to «sure»)",
        "worth(«sure»)",
        "mixes(«sure», «sure»)",
        "«min|max»(«sure», «sure|li[c1]»)",
        "«abs|to_int|floor|round»(«sure»)",
        "(-«sure»)",
        "(«sure» «%|/» len(«list»))",
    ],
    "at": ["(«at» «+|-|*» «at»)", "(«sure» % 4)", "(«bool» ? ([].sum()) : «sure»)"],
    "real": [
        "(«real» «+|-|*|/» «real»)",
        "(lf[«at»] «+|-|*|/» «real»)",
        "sqrt(«real»)",
        "(pf.x * pf.y)",
        "norm(pf)",
        "to_float(«sure|real»)",
        "«min|max»(«real», «real|lf[c2]»)",
        "abs(«real|lf[c1]»)",
    ],
    "int": [
        "(«int» «+|-|*» «int»)",
        "(«int» «/|%» «int»)",
        "(«int» + «int» * «int» - «int»)",
        "(-«int»)",
        "(«int» ** «2|3|0|-1|63»)",
        "len(«string»)",
        "len(«list»)",
        "add(«int», «int»)",
        "down(«3|i|50», «int»)",
        "(«list»).map({ x -> x * 2 }).count()",
        "(«any» ?? «int»)",
        "(«string»).index_of(«string»)",
        "s.«count|len»()",
    ],
    "float": ["(«float» «+|-|*|/|%» «float»)", "(«float» «+|-|*|/|%» «int»)", "(«int» «+|-|*|/» «float»)"],
    "string": [
        "(«string» + «string»)",
        '"<${«any»}>"',
        "(«string» * «0|2|-1»)",
        "(«string»).«uppercase|trim|reverse|lower|trim_start»()",
        "(«string»).replace(«string», «string»)",
        '(«string»).replace("«a||é»", "«|b|xyz»")',
        "(«string»).substring(«int», «int»)",
        "u.substring(n)",
        "(«string»).pad_«left|right»(«0|5|-1»)",
    ],
    "bool": [
        "(«int» «<|<=|>|>=|==|!=» «int»)",
        "(«any» «==|!=|<|>=» «any»)",
        "(«bool» «&&|or» «any»)",
        "(!«any»)",
        "(«any» in «list»)",
        "even(«4|7|n»)",
        "(«string»).«starts_with|ends_with|contains»(«string»)",
        "(«any»).contains(«any»)",
    ],
    "list": [
        "[«any», «any»]",
        "[...«list», «any»]",
        "(«list» + «list»)",
        "(«list»).push(«any»)",
        "(«list»).filter({ x -> x != «any» })",
        "(«list»)[«int»:«int»]",
        "up(4).iter().to_list()",
        "(«string»).split(«string»)",
        '(«string»).split("«a||,»")',
        "(«string»).chars()",
    ],
    "dict": ["{a: «any», key: «any»}", "{...«dict», b: «any»}", "{[«string»]: «any»}"],
    "any": [
        "(«list»)[«int»]",
        "(«dict»)[«string»]",
        "(«dict»).«a|b|key»",
        "(«any»)?.x",
        "(«bool» ? («any») : («any»))",
        "(if «bool» { «any» } else { «any» })",
        "(match «any» { 1 | 2 -> { «any» } Shape.Circle(r) -> { r + «int» } [q, 2] -> { q } _ -> { «any» } })",
        "(match «any» { {a: q} -> { q } «7|-1|true|nil» -> { «any» } q -> { q } })",
        "(try { «any» } catch (e) { e })",
        "(«any» «+|-|*|/|%» «any»)",
        "Point {x: «int», y: «int»}.«moved(1)|total()|x»",
        "(«any» |> add)",
        "(«bool» ? ([].«sum|first|min|count|last»()) : «any»)",
        "«li|ls|lf|mm|[]».«first|last|min|max|sum|reverse|sort|enumerate»()",
        "«di|rec|d».«keys|values|entries|count»()",
        "«di|rec».«get|has»(«string»)",
        "(«any»).«trim|lower|count|reverse|empty|chars»()",
        'a.«replace("a", "b")|split("a")|index_of(s)|contains(u)|starts_with(a)|substring(i)|len()»',
        "Point {x: «any», y: «any»}.«x|y|z»",
        "(«any»).x",
        "«abs|to_int|to_float|floor|ceil|sqrt|sin|to_string|keys|values|entries|len»(«any|sure|real|d|rec|string»)",
        "«min|max»(«any|sure|real», «any|sure|real»)",
        "range(c1 % 5, «4|7|sure»)«|.to_list()»",
        "{...«rec|di|d|any», x: «sure»}«|.x|.y»",
        "(«any» |> [_, «any»])",
    ],
}
SIMPLE = [
    ["c1 = «sure»"],
    ["c2 «+=|-=|*=» «sure»"],
    ["li = li.push(«sure»)", "if len(li) > 20 { li = [1, 2] }"],
    ["li[«at»] = «sure»"],
    ["li[«at»] «+=|*=» li[«at»]"],
    ["mm[«0|1|2»][«0|1|7»] = «sure»"],
    ["mm = mm.push([«sure», li[«at»]])", "if len(mm) > 9 { mm = [[1, 2], [3, 4]] }"],
    ["lf[«at»] = «real»"],
    ["r1 = «real»"],
    ["rec.«x|y» = «sure»"],
    ["rec = {...rec, x: «sure»}"],
    ["rec = [rec, nil][«0|0|c1»]"],
    ["lf[«at|c1 % 3»] «+=|-=|*=|/=» «real»"],
    ["mm[«0|1|at»][«0|1|at»] «+=|-=|*=» «sure»"],
    ["for k in range(«3|sure») {", "  if k > 4 { break }", "  c2 += k * li[k]", "  li[k] -= k", "}"],
    ["for k in «0|1|c1 % 9» to 5 {", "  for q in k to 5 { mm[0][q % 2] += q / len(li) }", "}"],
    ["pt.x = «sure»"],
    ["pf.x «=|+=» «real»"],
    ["di[«string»] = «sure»"],
    ["if li[«at»] «<|==|>» «sure» { c2 += 1 }"],
    ["let sorted = li.sort_by({ x -> x % «2|3|5» })", 'println("${sorted} ${ls.map({ w -> w.uppercase() })}")'],
    ["a = gen1(«sure», «any»)"],
    ["a = gen2(«any», «list»)"],
    ["c1 = counted(«sure», «any»)"],
    ["a = «fibo|norm|first_of»(«any»)"],
    ["a = scaled(«list», «any»)"],
    ["a = «keep|worth|mixes»(«any», «sure|any»)"],
    ["keep(«sure»)"],
    ["ln[«at»] = «any»"],
    ["try {", "  c2 = ln[«at»] «+|*» «sure»", "} catch (e) {", "  a = e", "}"],
    ["try {", '  s = "${ln[«at»]} ${li[«at»]}"', "  a = -ln[«at»]", "} catch (e) {", "  a = e", "}"],
    ["try {", "  let cell = [mm[0], nil][«at»][«at»]", "  c2 = cell", "} catch (e) {", "  a = e", "}"],
    ["s += if «bool» {", "  s = «string»", "  «string»", "} else {", "  «string»", "}"],
    ["li = li.push(if «bool» {", "  li = [«sure»]", "  «sure»", "} else {", "  «sure»", "})"],
    ["let [q1 = noted(«any»), q2 = li[«at»]] = [«any», ls[«at»]]", "a = [q1, q2]"],
    ["i = «int»"],
    ["f = «float»"],
    ["s = «string»"],
    ["b = «bool»"],
    ["xs = «list»"],
    ["d = «dict»"],
    ["a = «any»"],
    ["i «+=|-=|*=|/=|%=» «int»"],
    ["s = s + «string»", "if len(s) > 60 { s = s[0:9] }"],
    ["xs = xs.push(«any»)", "if len(xs) > 20 { xs = [xs, 1] }"],
    ["xs[«0|-1|i|9|u»] = «any»"],
    ["d[«string»] = «any»"],
    ["m.«a|key|z».b = «any»"],
    ["d.a «+=|-=» «int»"],
    ["ys = [xs, d]"],
    ['probe("p", { -> «any» })'],
    ['println("${«any»}")'],
    ["let q = «any»", "a = q"],
]
LEAVING = ["if «bool» { «break|continue» }"]
# A line "…" stands for statements of a nested block, "↻" for those of a loop, "λ" for those of a closure.
NESTED = [
    [
        "if true {",
        "  let call = «gen1|gen2|counted|scaled|norm|fibo»",
        "  a = call(«any», «any»)",
        "  a = call(«sure», «any»)",
        "}",
    ],
    [
        "if true {",
        "  let twice = { p, q -> p «+|*» q }",
        "  a = twice(«sure», «any»)",
        "  c1 = twice(«sure», «2|c1»)",
        '  probe("t", { -> «twice|add»(«real», «real») })',
        "}",
    ],
    [
        "if true {",
        "  let keep = { p, q -> [p, q] }",
        "  let call = «keep|add»",
        "  a = keep(«sure», li)",
        "  xs = [call(«any», «any»)]",
        "}",
    ],
    [
        "if true {",
        "  fn inner(p, q) {",
        "    if p > 3 { return q }",
        "    return p * 2",
        "  }",
        "  a = inner(«sure», «real»)",
        "  c2 = inner(c1, 1)",
        "  a = inner(«any», ls)",
        "}",
    ],
    [
        "if true {",
        "  fn rest(p, ...more) { return [p, len(more), more[«at»], more] }",
        "  a = rest(«sure», «sure», «any»)",
        "  a = rest(«sure», c1)",
        "}",
    ],
    [
        "if true {",
        "  var w = «string»",
        "  let change = { ->",
        "    w = «string»",
        "    «string»",
        "  }",
        "  w «+=|= w +» change()",
        "  s = w",
        "}",
    ],
    ["for k in 0 to «3|len(li)» {", "  c2 += li[k] «+|*|-» «sure»", "↻", "}"],
    ["for k in 0 to 40 {", "  c2 += c1 * «sure»", "  c1 = c1 «+|-» mm[k % 3][«at»]", "}"],
    ["for row in mm {", "  for cell in row {", "    c2 += cell", "    r1 = r1 + lf[cell]", "  }", "}"],
    ["try {", "  for x in li { c2 = c2 + x * x", "    a = li[x] + 1", "  }", "} catch (e) {", "  a = c2", "}"],
    ["for w in ls {", "  s = w + s.lower()", "  if w.starts_with(«string») { n += w.index_of(s) }", "↻", "}"],
    ["if «bool» {", "…", "} else {", "…", "}"],
    ["for k in 0 to 3 {", "  n += k", "↻", "}"],
    ["for item in «list» {", "  a = item", "↻", "}"],
    ["var w = 0", "while w < 3 {", "  w += 1", "↻", "}"],
    ["try {", "…", "} catch (e) {", '  println("caught ${e}")', "} finally {", "  j += 1", "}"],
    ["let act = { ->", "λ", "}", 'probe("act", act)'],
    ["retry 2 {", "…", "}"],
]
VARIABLES = {
    "i": "3",
    "j": "-2",
    "n": "10",
    "f": "1.5",
    "g": "0.5",
    "s": '"abc"',
    "u": '"key"',
    "b": "true",
    "a": "5",
    "xs": "[1, 2, 3]",
    "ys": "[[1, 2], [3]]",
    "d": "{a: 1, b: 2}",
    "m": "{a: {b: 1}, key: [1]}",
    "c1": "4",
    "c2": "0",
    "r1": "0.5",
    "r2": "2.0",
    "li": "[1, 2, 3]",
    "ln": "[1, nil, 3]",
    "lf": "[0.5, 1.5]",
    "ls": '["a", "Bb", ""]',
    "mm": "[[1, 2], [3, 4], [5, 6]]",
    "di": "{a: 1, b: 2}",
    "rec": "{x: 3, y: 4}",
    "pt": "Point {x: 1, y: 2}",
    "pf": "Point {x: 1.5, y: 2.5}",
}
HEAD = """struct Point { x: int, y: int }
impl Point {
  fn moved(self, by) { return Point {x: self.x + by, y: self.y} }
  fn total(self) { return self.x + self.y }
}
enum Shape { Circle(r: int), Dot }
fn add(p, q = 1) { return p + q }
fn down(p, q) {
  if p <= 0 { return q }
  if p > 5000 { return p }
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
fn fibo(n) {
  if n > 12 { return n }
  if n < 2 { return n }
  return fibo(n - 1) + fibo(n - 2)
}
fn scaled(list, by) {
  var total = 0
  for k in 0 to 2 { total += list[k] * by }
  return total
}
fn counted(n, step: int) {
  var total = n
  for k in 0 to 30 { total = total + step * n }
  return total
}
var total = 3
let mixed = { x, y ->
  var found = 0
  for k in 0 to 1 { found = x * y + total }
  found
}
fn keep(p) {
  for k in 0 to 1 { total = p * 1 }
  return total
}
fn worth(n) {
  var sum = 0
  for k in 0 to 2 { sum = sum + total * n }
  return sum
}
fn mixes(n, m) {
  var sum = 0
  for k in 0 to 2 { sum = mixed(n, m) + n * m }
  return sum
}
fn noted(p) {
  println("noted ${p}")
  return p
}
fn norm(p) { return p.x * p.x + p.y * p.y }
fn first_of(list) {
  let first = list[0]
  return first ?? "none"
}
fn probe(label, f) {
  let r = try { f() }
  println("${label}: ${r}")
}
"""
HOLE = re.compile("«([^»]*)»")
DEEPEST = 4


def filled(dice: Random, form: str, depth: int) -> str:
    """Fill the holes of a form."""

    def fill(hole: re.Match[str]) -> str:
        wanted = hole[1]
        if wanted in FORMS:
            return expression(dice, wanted, depth)
        chosen = dice.choice(wanted.split("|"))
        return "||" if chosen == "or" else chosen

    return HOLE.sub(fill, form)


def expression(dice: Random, kind: str, depth: int = DEEPEST) -> str:
    """Draw an expression that mostly has that kind."""
    if not dice.randint(0, 19):
        kind = dice.choice(KINDS)
    if depth == 0 or not dice.randint(0, 4):
        literals = LITERALS[kind]
        return dice.choice(literals if dice.randint(0, 1) else [*NAMES[kind], literals[0]])
    return filled(dice, dice.choice(FORMS[kind]), depth - 1)


def block(dice: Random, depth: int, *, loop: bool) -> list[str]:
    """Draw some statements, as indented lines."""
    return ["  " + line for _ in range(dice.randint(1, 3)) for line in statement(dice, depth, loop=loop)]


def statement(dice: Random, depth: int = 2, *, loop: bool = False) -> list[str]:
    """Draw a statement as lines."""
    choices = [*SIMPLE, *([LEAVING] if loop else []), *(NESTED if depth else [])]
    lines: list[str] = []
    for line in dice.choice(choices):
        if line in {"…", "↻", "λ"}:
            lines += block(dice, depth - 1, loop=line == "↻" or (loop and line == "…"))
        else:
            lines.append(filled(dice, line, 3))
    return lines


def function(dice: Random, name: str) -> list[str]:
    """Draw a function with two parameters and its own variables; it does not call a drawn function."""
    body = [line for _ in range(dice.randint(1, 4)) for line in statement(dice, 1)]
    start = [f"var {variable} = {value}" for variable, value in VARIABLES.items()]
    uses = ["c1 = p", "a = q", "li = li.push(p)", *body, f"return {expression(dice, 'any', 2)}"]
    lines = [line.replace("gen1", "add").replace("gen2", "add") for line in [*start, *uses]]
    return [f"fn {name}(p, q) {{", *("  " + line for line in lines), "}"]


def caught(lines: list[str]) -> list[str]:
    """Return statements that print their error."""
    return ["try {", *("  " + line for line in lines), "} catch (e) {", '  println("error ${e}")', "}"]


def whole_program(dice: Random) -> str:
    """Draw a whole program: two functions, and a pipeline with variables that are local where they can be."""
    functions: list[str] = []
    for name in ("gen1", "gen2"):
        functions += function(dice, name)
    parts = [statement(dice) for _ in range(dice.randint(2, 8))]
    start = [f"var {name} = {value}" for name, value in VARIABLES.items()]
    end = [f'println("{name}=${{{name}}}")' for name in VARIABLES]
    if dice.randint(0, 1):
        parts = [[line for part in parts for line in part]]
    guarded = [line for part in parts for line in caught(part)]
    lines = ["  " + line for line in [*start, *guarded, *end]]
    return HEAD + "\n".join(functions) + "\npipeline default() {\n" + "\n".join(lines) + "\n}\n"


def programs() -> st.SearchStrategy[str]:
    """Return the strategy of whole programs."""
    return st.randoms(use_true_random=False).map(whole_program)
