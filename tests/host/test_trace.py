"""The place of an uncaught error, found through code with positions from another text."""

import ast
import subprocess
import sys

import pytest

from harnlite.diagnostics.source import Source
from harnlite.host.failure_report import SHOWN_CALLS, Failure
from harnlite.host.script_traceback import Sources, function_name, trace
from harnlite.values.errors import ScriptError

TEXT = 'fn bäd(n) {\n  let ü = "é" + 1 / n\n}\nbäd(0)\n'


def compiled(text, error):
    """Compile two functions whose nodes point at `1 / n` and at the call in the text above."""
    module = ast.parse("def v_bäd(n):\n  n(1)\ndef _main(n):\n  v_bäd(n)\n")
    places = {"v_bäd": "1 / n", "_main": "bäd(0)"}
    for function in module.body:
        start = text.index(places[function.name])
        line = text.count("\n", 0, start) + 1
        column = len(text[text.rfind("\n", 0, start) + 1 : start].encode())
        for node in ast.walk(function.body[0]):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = line
                node.col_offset = column
                node.end_col_offset = column + len(places[function.name].encode())
    space = {"_harn_source": ("a.harn", None)}
    exec(compile(module, "a.harn", "exec"), space)

    def fail(_):
        raise error

    try:
        space["_main"](fail)
    except ScriptError as caught:
        sources = Sources()
        sources.add(Source(text, "a.harn"))
        return trace(caught, sources)
    return []


def test_frames_tell_function_and_exact_place():
    frames = compiled(TEXT, ScriptError("Division by zero"))
    assert [(frame.function, frame.place) for frame in frames] == [("bäd", "a.harn:2:17"), ("<script>", "a.harn:4:1")]
    inner = frames[0]
    assert TEXT[inner.span.start : inner.span.end] == "1 / n"


def test_a_report():
    failure = Failure("Division by zero", compiled(TEXT, ScriptError("Division by zero")), ["use another number"])
    assert failure.report() == (
        "error: Division by zero\n"
        " --> a.harn:2:17\n"
        "  |\n"
        '2 |   let ü = "é" + 1 / n\n'
        "  |                 ^^^^^\n"
        "  = help: use another number\n"
        "calls, innermost first:\n"
        "  bäd       a.harn:2:17\n"
        "  <script>  a.harn:4:1\n"
    )
    assert failure.report("concise") == "a.harn:2:17: error Division by zero\n"


def test_a_failure_without_a_place():
    assert Failure("gone", notes=["why"]).report() == "error: gone\n  = help: why\n"
    assert Failure("gone").report("concise") == "error: gone\n"
    assert '"message": "gone"' in Failure("gone", name="a.harn").report("json")


def test_a_long_chain_shows_both_ends():
    frames = compiled(TEXT, ScriptError("x"))
    report = Failure("x", frames[:1] * 5000 + frames[1:]).report()
    assert "  bäd       a.harn:2:17  (5000 times)\n  <script>  a.harn:4:1\n" in report
    assert len(Failure("x", frames * 500).report().splitlines()) == SHOWN_CALLS + 7


@pytest.mark.parametrize(
    ("mangled", "name"),
    [("v_add", "add"), ("v2_add_one", "add_one"), ("p_default", "default"), ("_main", "<script>"), ("v___x", "__x")],
)
def test_names_are_those_of_the_script(mangled, name):
    assert function_name(mangled) == name


def test_without_debug_ranges_the_line_is_known():
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_trace as t; from harnlite.values.errors import *\n"
    code += (
        "frame = t.compiled(t.TEXT, ScriptError('x'))[0]; print(frame.place, t.TEXT[frame.span.start:frame.span.end])"
    )
    command = [sys.executable, "-X", "no_debug_ranges", "-c", code, __file__.rpartition("/")[0]]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == 'a.harn:2:3 let ü = "é" + 1 / n\n'
