"""Random programs that copy, nest and change collections, against a model in which every assignment copies."""

import copy
import random

import harnlite
from tests.samples import count, sampled

SEED = 77
PROGRAMS = count(120, 30)
STATEMENTS = 40
NAMES = ("a", "b", "c", "d")
HEADER = """
struct Box { v: any, w: any }
fn changed(x) { var y = x
  y[0] = "changed"
  return y }
fn keep(x) { return [x, x] }
fn same(x) { return x }
fn swap_in(xs, x) { var ys = xs
  ys[1] = x
  for i in 0 to 1 { ys[0] = [ys[1], i] }
  return ys }
"""


class Box:
    """The model's struct."""

    def __init__(self, v: object, w: object) -> None:
        self.v, self.w = v, w


def text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {text(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Box):
        return f"Box {{v: {text(value.v)}, w: {text(value.w)}}}"
    return str(value)


class Writer:
    """Writes one program and plays it at the same time."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.lines: list[str] = []
        self.output: list[str] = []
        self.values: dict[str, object] = {name: [0, 1] for name in NAMES}
        self.number = 0
        self.indent = ""

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def fresh(self) -> int:
        self.number += 1
        return self.number

    def expression(self) -> tuple[str, object]:
        """Return an expression and its value, always a collection."""
        name = self.dice.choice(NAMES)
        value = copy.deepcopy(self.values[name])
        return self.of_a_list(name, value) if isinstance(value, list) else self.of_anything(name, value)

    def of_anything(self, name: str, value: object) -> tuple[str, object]:
        kind = self.dice.randint(0, 6)
        if kind == 0:
            number = self.fresh()
            return f"[{number}, [{number}, {name}]]", [number, [number, value]]
        if kind == 1:
            number = self.fresh()
            return f"{{k: {name}, n: {number}}}", {"k": value, "n": number}
        if kind == 2:
            return f"keep({name})", [value, copy.deepcopy(value)]
        if kind == 3:
            return f"Box {{v: {name}, w: {self.number}}}", Box(value, self.number)
        if kind == 4 and isinstance(value, dict):
            return f"{name}.merge({{m: {name}}})", {**value, "m": copy.deepcopy(value)}
        return (f"(true ? {name} : 0)", value) if kind == 5 else (f"same({name})", value)

    def of_a_list(self, name: str, value: list[object]) -> tuple[str, object]:
        kind = self.dice.randint(0, 5)
        if kind == 0:
            return f"changed({name})", ["changed", *value[1:]]
        if kind == 1:
            return f"{name}.reverse()", value[::-1]
        if kind == 2:
            return f"{name} + [{name}]", [*value, copy.deepcopy(value)]
        if kind == 3 and len(value) > 1:
            other = self.dice.choice(NAMES)
            item = copy.deepcopy(self.values[other])
            first = [copy.deepcopy(item), 1]
            return f"swap_in({name}, {other})", [first, item, *value[2:]]
        return self.of_anything(name, value)

    def path(self, name: str) -> tuple[str, object]:
        """Return a target below a variable, and the collection of the model that holds it, with its key."""
        target, holder = name, self.values[name]
        while True:
            if isinstance(holder, list):
                index = self.dice.randrange(len(holder))
                target, key = f"{target}[{index}]", index
                inner = holder[index]
            elif isinstance(holder, dict):
                key = self.dice.choice(sorted(holder))
                target = f"{target}.{key}" if self.dice.random() < 0.5 else f'{target}["{key}"]'
                inner = holder[key]
            else:
                key = self.dice.choice("vw")
                target, inner = f"{target}.{key}", getattr(holder, key)
            if not isinstance(inner, list | dict | Box) or self.dice.random() < 0.4:
                return target, (holder, key)
            holder = inner

    def change(self) -> None:
        name = self.dice.choice(NAMES)
        target, (holder, key) = self.path(name)
        source, value = self.expression() if self.dice.random() < 0.5 else (str(self.fresh()), self.number)
        self.write(f"{target} = {source}")
        if isinstance(holder, Box):
            setattr(holder, key, value)
        else:
            holder[key] = value

    def assign(self) -> None:
        name = self.dice.choice(NAMES)
        source, value = self.expression()
        if len(text(value)) < 2_000:
            self.write(f"{name} = {source}")
            self.values[name] = value

    def capture(self) -> None:
        name, other = self.dice.sample(NAMES, 2)
        number = self.fresh()
        self.write(f"let keep{number} = {{ -> var mine = {name}")
        self.write(f"  mine = [mine, {number}]")
        self.write("  mine[0] = nil")
        self.write(f"  {name} }}")
        self.write(f"{other} = [keep{number}(), keep{number}()]")
        value = self.values[name]
        self.values[other] = [copy.deepcopy(value), copy.deepcopy(value)]

    def loop(self) -> None:
        name, other = self.dice.sample(NAMES, 2)
        if not isinstance(self.values[name], list):
            return
        number = self.fresh()
        self.write(f"for item{number} in {name} {{ {other} = [item{number}, {number}]; {name} = [0, {name}] }}")
        for item in copy.deepcopy(self.values[name]):
            self.values[other] = [item, number]
            self.values[name] = [0, self.values[name]]

    def pattern(self) -> None:
        name, other = self.dice.sample(NAMES, 2)
        if not isinstance(self.values[name], list) or len(self.values[name]) < 2:
            return
        number = self.fresh()
        self.write(f"var [x{number}, ...rest{number}] = {name}")
        self.write(f"rest{number}[0] = x{number}")
        self.write(f"{other} = rest{number}")
        first, *rest = copy.deepcopy(self.values[name])
        self.values[other] = [first, *rest[1:]]

    def show(self) -> None:
        self.write("println([a, b, c, d])")
        self.output.append(text([self.values[name] for name in NAMES]))

    def program(self, *, in_function: bool) -> str:
        if in_function:
            self.write("fn main() {")
        for name in NAMES:
            self.write(f"var {name}: any = [0, 1]" if in_function else f"var {name} = same([0, 1])")
        for _ in range(STATEMENTS):
            steps = (
                self.change,
                self.change,
                self.change,
                self.assign,
                self.assign,
                self.capture,
                self.loop,
                self.pattern,
            )
            self.dice.choice(steps)()
            if max(len(text(value)) for value in self.values.values()) > 3_000:
                for name in NAMES:
                    self.write(f"{name} = [0, 1]")
                    self.values[name] = [0, 1]
            self.show()
        if in_function:
            self.write("}")
            self.write("main()")
        return HEADER + "\n".join(self.lines) + "\n"


@sampled
def test_no_change_is_seen_through_another_name() -> None:
    dice = random.Random(SEED)
    engine = harnlite.Engine(cache=False)
    for number in range(PROGRAMS):
        writer = Writer(dice)
        program = writer.program(in_function=number % 2 == 0)
        result = engine.run(program)
        lines = result.stdout.splitlines()
        assert result.exit_code == 0, (result.error, program)
        for at, (got, expected) in enumerate(zip(lines, writer.output, strict=True)):
            assert got == expected, f"program {number}, output {at}\n{program}"
