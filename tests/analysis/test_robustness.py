"""The time to check a program is proportional to its size."""

import time

from harnlite import Engine


def test_literals_that_hold_each_other_do_not_grow_without_bounds():
    lines = [f"  let a{n} = {{effects: [a{n - 1}, a{n - 1}, {{then: a{n - 1}}}]}}" for n in range(1, 60)]
    program = "\n".join(["pipeline main() {", "  let a0 = {x: 1}", *lines, "  println(a59.effects)", "}"])
    begin = time.process_time()
    assert Engine().check(program) == []
    assert time.process_time() - begin < 2
