"""Assignability of types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Check

DECLARATIONS = """
struct P { x: int }
struct Q { x: int }
impl P { fn size(self) -> int { return 1 } }
enum E { A, B }
enum O<T> { Some(v: T), None }
interface Sized { fn size(self) -> int }
type Alias = int | nil
type Source<out T> = {next: fn() -> T}
type Sink<in T> = {put: fn(T) -> nil}
type Cell<T> = {get: fn() -> T, put: fn(T) -> nil}
"""
FITS = """
any int | int any | unknown int | unknown unknown | any unknown | int never | float int | string "a" | "a" string
-1 int | int|nil int | int|nil nil | int|nil Alias | Alias int | list<int> list | list list<int> | list<int> list<int>
list<{x: int}> list<{x: int, y: int}> | list<int|string> list<int> | iter<float> iter<int> | Stream<float> Stream<int>
Generator<float> Generator<int> | dict {x: int}
{x: int} dict | {x: int} {x: int, y: int} | {x: int, y?: int} {x: int}
{x: float} {x: int} | dict<string,int> {x: int} | dict<string,int> dict | P P
Sized P | E E | O<int> O | O<int> O<int>
fn(int)->float fn(float)->int | closure fn(int)->int | fn(int)->int closure | Whatever int | int Whatever
Source<float> Source<int> | Sink<int> Sink<float> | Cell<int> Cell<int> | string|int|nil Alias|string
"""
MISFITS = """
int float | int string | int nil | int unknown | string int | "a" "b" | "a" int | int int|nil | list<int> list<string>
list<float> list<int> | list dict | set list
iter<int> iter<float> | Generator<int> Stream<int> | Stream<int> Generator<int>
{x: int} {y: int} | {x: int} {x: string} | dict<string,int> {x: string}
dict<string,float> dict<string,int> | P Q | P {x: int}
Sized Q | Sized int | E int | int E
E O | O<int> O<string> | fn(int)->int fn(string)->int | fn(int)->int fn(int)->string
closure int | nil bool | duration int | never int
Source<int> Source<float> | Sink<float> Sink<int> | Cell<float> Cell<int>
"""


def pairs(table: str) -> list[tuple[str, str]]:
    """Split `A B | C D`; a bar inside a type has no blanks around it."""
    found = []
    for line in table.strip().splitlines():
        for entry in line.split(" | "):
            depth, cut = 0, 0
            for i, char in enumerate(entry):
                depth += (char in "<{(") - (char in "})" or (char == ">" and entry[i - 1] != "-"))
                if char == " " and depth == 0:
                    cut = i
                    break
            found.append((entry[:cut].strip(), entry[cut:].strip()))
    return found


@pytest.mark.parametrize(("expected", "actual"), pairs(FITS))
def test_fits(findings: Check, expected: str, actual: str) -> None:
    assert not findings(f"{DECLARATIONS}fn f(given: {actual}) {{ let x: {expected} = given }}")


@pytest.mark.parametrize(("expected", "actual"), pairs(MISFITS))
def test_does_not_fit(findings: Check, expected: str, actual: str) -> None:
    [found] = findings(f"{DECLARATIONS}fn f(given: {actual}) {{ let x: {expected} = given }}")
    assert found.message.startswith("'x' declared as ")
