"""Changes of containers inside containers: optimised code, which changes some in place, does what plain code does."""

from __future__ import annotations

import os
import random

import pytest
from test_differential import outputs_of

from harnlite.runtime import unpacking
from harnlite.values.interrupts import BUILTINS
from harnlite.values.limits import FEW
from tests.samples import count

PROGRAMS = int(os.environ.get("HARNLITE_FUZZ", "0")) or count(300, 120)
A_TEST = 60
LINES = 14
START = """struct Point { x: int, y: int }
impl Point {
  fn swapped(self) { return Point {x: self.y, y: self.x} }
}
fn same(value) { return value }
fn run(flag) {
  var g = {rows: [[1, 2], [3, 4]], pos: {x: 1, y: {z: 2}}, pt: Point {x: 5, y: [6]}}
  var h = [{x: 1, l: [1, 2]}, {x: 2, l: [3, 4]}]
  var s = Point {x: {a: 1}, y: [[7], [8]]}
  var saved = []
  var n = 0
"""
END = """  println("${g} ${h} ${s} ${saved} ${n}")
  return saved
}
println(run(true))
println(run(false))
"""
PLACES = """
g.rows[@][@]=g.rows[@]=g.pos.x=g.pos.y.z=g.pos.y=g.pt.x=g.pt.y[0]=g.pos=g.rows
g.q=g["q1"]=h[@].x=h[@].l[@]=h[@].l=h[@]=h[2]=h[-1].x=h[len(h) - 1].x
s.x.a=s.y[@][0]=s.y[@]=s.x=s.y
g.pos["${n}"]=g[if flag { "rows" } else { "pos" }].x=h[if n > 1 { 1 } else { 0 }].x
"""
LEAVES = """
g.rows[@][@]=g.pos.x=g.pos.y.z=h[@].x=h[@].l[@]=s.x.a=s.y[@][0]=g.pt.x=h[len(h) - 1].x=h[if n > 1 { 1 } else { 0 }].x
"""
VALUES = """
n=7=g=h=s=saved=g.rows=g.rows[@]=g.rows[@][@]=g.pos=g.pos.x=g.pos.y=g.pos.y.z=g.pt=g.pt.y=g.pt.swapped()
h[@]=h[@].x=h[@].l=h[@].l[@]=s.x=s.y=s.y[@]=s.x.a=s.swapped()=[g.pos, n]={x: h[@], y: n}=same(h)=same(g.rows[@])
h.first=h.last().l=g.rows.first()=g.rows.reverse()=h.map({ one -> one.l })=g.values()=h[0:1]=g.rows + [g.rows[@]]
{...g.pos, x: n}=[...g.rows[@], n]=(flag ? g.pos : h[@])=(h[@].l ?? n)=(g?.pos)=g.q=g["q1"]=nil=[1, n]=[[n], [n]]={x: n}
"""
STATEMENTS = """
P = n
P = V
L = V
L = n
L += 1
P -= 1
saved = saved.push(V)
saved = saved.push(V)
saved[@] = V
n += 1
g = same(g)
g = {...g}
g = {rows: [h[@].l, g.rows[@]], pos: {x: n, y: g.pos.y}, pt: s}
h = [h[1], h[0]]
h = [{x: V, l: g.rows[@]}, same(h[@])]
s = Point {x: g.pos, y: g.rows}
h = h.push(V)
g.rows = g.rows.push(V)
h[@].l = h[@].l.push(V)
h[n].l = h[n].l.push(V)
g.rows = g.rows.push(V)
g.rows[@] = g.rows[@].push(n)
g.rows[1] = g.rows[1].push(V)
g.pos.y = g.pos.y.push(V)
h[@].l = (h[@].l ?? []).push(V)
g.q = (g.q ?? []).push(V)
g.pos["q"] = (g.pos["q"] ?? []).push(V)
g["q1"] = g.get("q1", []).push(V)
g["q1"] = g.get("q1", []).push(n);saved = saved.push(g["q1"]);g["q1"] = g.get("q1", []).push(V)
let key# = "q${n % 2}";g[key#] = (g[key#] ?? []).push(V);saved = saved.push(g)
let key# = n > 3 ? n : "q1";g[key#] = g.get(key#, []).push(V)
let key# = n % 3;h[key#] = (h[key#] ?? []).push(V)
for i in 0 to 6 {;let key# = "q${i % 2}";g[key#] = g.get(key#, []).push(i);Q}
for i in 0 to 6 {;let key# = "q${i % 2}";g[key#] = (g[key#] ?? []).push(V);Q}
for i in 0 to 2 {;for j in i to 2 exclusive {;g.rows[i][j] -= n;saved = saved.push(g.rows[i]);Q}}
for i in range(2) {;for j in range(i, 3) {;g.rows[i][j] += 1;}}
for i in 0 to 2 exclusive {;g.rows[i][0] += if flag {;P = V;1;} else {;2;}}
for i in 0 to 2 exclusive {;h[i].x *= i;L -= i;}
var k# = [n, 2];k#[1] += if flag {;k# = [V];1;} else {;2;};saved = saved.push(k#)
var k# = [n, 2];k#[-@] += n;k#[n - 2] -= 1;saved = saved.push(k#)
var k# = [n, 2];var at# = 0;k#[at#] += if flag {;at# = 1;n;} else {;2;};saved = saved.push(k#)
var k# = [[n, 2]];var at# = 0;k#[0][at#] -= if flag {;at# = 1;n;} else {;k# = [];2;};saved = saved.push(k#)
let at# = n % 2;h[at#].l = h[at#].l.push(V);saved = saved.push(h[at#].l)
for i in 0 to 3 {;let to# = i % 2;h[to#].l = h[to#].l.push(V);Q}
h[0].l = h[0].l.push(if flag {;L = V;n;} else {;1;})
for i in 0 to 5 {;h[i % 2].x = i;g.rows[i % 2] = [i];g.rows[i % 2][0] = V;}
println("${V} ${V}")
let t# = V;L = V;saved = saved.push(t#)
for one in V {;L = V;saved = saved.push(one);n += 1;}
for i in 0 to 3 {;h[i % 2].x = i;g.rows[i % 2][@] = V;Q}
var k# = 0;while k# < 3 && same(V) != 5 {;k# += 1;L = V;Q}
if flag {;L = V;Q} else {;P = V;}
try {;L = V;Q} catch (e) {;saved = saved.push("${e}");}
P += if flag {;P = V;n;} else {;1;}
h[0].x = n;h[0].x += if n < 5 {;h[0].l = V;n;} else {;1;}
g.pos.x = n;g.pos.x += if n < 5 {;g.pos.y = V;n;} else {;1;}
saved = saved.push([V, if flag {;P = V;V;} else {;V;}])
h[if flag {;P = V;0;} else {;1;}].x = V
let {pos, rows} = {pos: 1, ...g};P = V;saved = saved.push([pos, rows])
let [first#] = [V];P = V;saved = saved.push(first#)
saved = saved.push(match V { [q, r] -> { r } {x: q} -> { q } q -> { [q] } })
let later# = V;let call# = { -> later# };P = V;saved = saved.push(call#())
"""


def entries(table: str) -> list[str]:
    """Return the entries of a table, of which a line may hold several with `=` between them."""
    return [entry for line in table.strip().splitlines() for entry in line.split("=")]


def program(dice: random.Random) -> str:
    """Return a program that changes and passes on containers inside the containers of three variables."""
    numbers = iter(range(1000))
    kinds = STATEMENTS.strip().splitlines()
    tables = {"P": entries(PLACES), "L": entries(LEAVES), "V": entries(VALUES)}

    def statement(depth: int) -> str:
        text = dice.choice(kinds)
        while depth > 1 and "Q" in text:
            text = dice.choice(kinds)
        number = str(next(numbers))
        parts = []
        for mark in text:
            if mark in tables:
                parts.append(dice.choice(tables[mark]))
            elif mark == "Q":
                parts.append(statement(depth + 1) + "\n")
            else:
                parts.append({";": "\n", "#": number}.get(mark, mark))
        filled = "".join(parts)
        return "".join(dice.choice("01") if mark == "@" else mark for mark in filled)

    lines = [f"try {{\n{statement(1)}\n}} catch (e) {{ println(e) }}" for _ in range(LINES)]
    return START + "\n".join(lines) + "\n" + END


@pytest.mark.parametrize("few", [FEW, 0])
@pytest.mark.parametrize("first", range(0, PROGRAMS, A_TEST))
def test_changes_in_place_are_not_seen_elsewhere(first: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The containers of these programs are small, so that only a limit of 0 lets all of them be remembered."""
    monkeypatch.setattr(unpacking, "FEW", few)
    monkeypatch.setitem(BUILTINS, "_few", few)
    for seed in range(first, min(first + A_TEST, PROGRAMS)):
        optimised, plain = outputs_of(program(random.Random(seed)))
        assert optimised == plain, f"seed {seed}"
