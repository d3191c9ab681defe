"""Generated well-typed programs have no findings; replacing one literal by one of another type causes a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.samples import count

if TYPE_CHECKING:
    from conftest import Check
    from hypothesis.strategies import DrawFn

LITERALS = {
    "int": ["0", "1", "-7", "1_000"],
    "float": ["0.5", "2e6", "-1.5"],
    "string": ['""', '"a"', '"${1 + 2}"', 'r"x"'],
    "bool": ["true", "false"],
    "list<int>": ["[]", "[1]", "[1, 2, 3]"],
    "list<string>": ["[]", '["a"]'],
    "{name: string, age: int}": ['{name: "a", age: 1}', '{name: "b", age: 2, more: nil}'],
    "Point": ["Point {x: 1, y: 2}"],
    "Shape": ["Shape.Dot", "Shape.Circle(1.5)"],
    "int | nil": ["nil", "1"],
}
PRELUDE = """
struct Point { x: int, y: int }
impl Point { fn moved(self, dx: int) -> Point { return Point {x: self.x + dx, y: self.y} } }
enum Shape { Circle(r: float), Dot }
fn number(a: int, b: float) -> int { return a }
fn words(a: string, n: int = 1) -> string { return a * n }
fn keep<T>(x: T) -> T { return x }
fn first_of<T>(xs: list<T>, other: T) -> T { return len(xs) > 0 ? xs[0] : other }
fn radius(s: Shape) -> float { return match s { Shape.Circle(r) -> { r } Shape.Dot -> { 0.0 } } }
fn known(x: int | nil) -> int { if x == nil { return 0 } return x }
"""
DEPTH = 3


@st.composite
def expressions(draw: DrawFn, kind: str, names: dict[str, str], depth: int = DEPTH) -> str:
    """Write an expression of a type."""
    fitting = [name for name, other in names.items() if other == kind]
    forms = ["literal", *(["name"] * 2 if fitting else []), *(_FORMS.get(kind, ()) if depth else ()), "keep"]
    form = draw(st.sampled_from(forms))
    if form == "literal" or not depth:
        return draw(st.sampled_from(LITERALS[kind]))
    if form == "name":
        return draw(st.sampled_from(fitting))
    if form == "keep":
        return f"keep({draw(expressions(kind, names, depth - 1))})"
    parts = {part: draw(expressions(part, names, depth - 1)) for part in _PARTS if "{" + _PARTS[part] + "}" in form}
    return form.format(**{_PARTS[part]: text for part, text in parts.items()})


_PARTS = {
    "int": "i",
    "float": "f",
    "string": "s",
    "bool": "b",
    "list<int>": "li",
    "Point": "p",
    "Shape": "sh",
    "int | nil": "m",
    "{name: string, age: int}": "d",
}
_FORMS = {
    "int": [
        "({i} + {i})",
        "number({i}, {f})",
        "({b} ? {i} : {i})",
        "known({m})",
        "({p}).x",
        "({d}).age",
        "({m} ?? {i})",
    ],
    "float": ["({f} * {i})", "radius({sh})", "({f} - {f})"],
    "string": ['({s} + "x")', "words({s})", "words({s}, {i})", "({d}).name", "({s}).upper()", "to_string({i})"],
    "bool": ["({i} < {f})", "({s} == {s})", "(!{b})", "({b} && {b})", "({i} in {li})"],
    "list<int>": ["({li} + {li})", "[{i}, ...{li}]"],
    "Point": ["({p}).moved({i})", "Point {{x: {i}, y: {i}}}"],
    "Shape": ["Shape.Circle({f})"],
}


@st.composite
def programs(draw: DrawFn) -> tuple[list[str], list[tuple[int, str]]]:
    """Write statements, and say which lines give which declared type a literal."""
    names: dict[str, str] = {}
    lines: list[str] = []
    swappable: list[tuple[int, str]] = []
    for i in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(sorted(LITERALS)))
        word = draw(st.sampled_from(["let", "var"]))
        value = draw(expressions(kind, names))
        swappable.append((i, kind))
        lines.append(f"{word} v{i}: {kind} = {value}")
        names[f"v{i}"] = kind
    return lines, swappable


QUIET = settings(max_examples=count(60, 25), deadline=None, suppress_health_check=list(HealthCheck))
WRONG = {
    "int": '"wrong"',
    "float": '"wrong"',
    "string": "5",
    "bool": "5",
    "list<int>": '["wrong"]',
    "list<string>": "[5]",
    "{name: string, age: int}": '{name: 5, age: "wrong"}',
    "Point": "5",
    "Shape": "5",
    "int | nil": '"wrong"',
}


@QUIET
@given(program=programs())
def test_well_typed_programs_are_clean(findings: Check, program: tuple[list[str], list[tuple[int, str]]]) -> None:
    lines, _ = program
    assert not findings(PRELUDE + "\n".join(lines))


@QUIET
@given(program=programs(), data=st.data())
def test_a_wrong_literal_is_found(
    findings: Check, program: tuple[list[str], list[tuple[int, str]]], data: st.DataObject
) -> None:
    lines, swappable = program
    i, kind = data.draw(st.sampled_from(swappable))
    lines[i] = lines[i].partition(" = ")[0] + " = " + WRONG[kind]
    found = findings(PRELUDE + "\n".join(lines))
    assert [one.message.startswith(f"'v{i}' declared as ") for one in found] == [True]
