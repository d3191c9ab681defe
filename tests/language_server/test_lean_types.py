"""The server imports the types of the protocol with fewer methods, and they mean the same."""

import re
import subprocess
import sys

import pytest

BODY = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'

TYPES = """
import inspect
import sys
import attrs
usual = attrs.define
if sys.argv[1] == "lean":
    from harnlite.editor.lean_types import load_lean_types
    load_lean_types()
assert attrs.define is usual
from lsprotocol import types
generated = "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__"
"""
SHAPES = """
for name, type_ in sorted(types.ALL_TYPES_MAP.items()):
    if not isinstance(type_, type) or not attrs.has(type_):
        continue
    own = sorted(set(vars(type_)) - set(generated))
    fields = [(one.name, one.type, one.default, one.validator, one.init, one.kw_only) for one in attrs.fields(type_)]
    print(name, type_.__mro__, type_.__slots__, inspect.signature(type_), fields, own)
"""
LEAN = """
from lsprotocol.converters import get_converter
classes = [one for one in types.ALL_TYPES_MAP.values() if isinstance(one, type) and attrs.has(one)]
print(sum("__eq__" in vars(one) for one in classes), sum("__repr__" in vars(one) for one in classes))
def place():
    return types.Range(types.Position(0, 1), types.Position(2, 3))
edit = types.TextEdit(place(), "x")
print(edit.range == place(), edit.range.start < edit.range.end)
converter = get_converter()
given = converter.unstructure(edit)
print(given, converter.unstructure(converter.structure(given, types.TextEdit)) == given)
def misspell():
    edit.newText = "y"
def construct():
    types.Position(-1, 0)
def assign():
    edit.new_text = 1
for fault in misspell, construct, assign:
    try:
        fault()
    except (AttributeError, TypeError, ValueError) as error:
        print(type(error).__name__)
"""


def printed(code: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", TYPES + code, *arguments]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.sub(" at 0x[0-9a-f]+", "", output).splitlines()


def test_the_classes_differ_only_in_comparisons_and_texts():
    lean, full = printed(SHAPES, "lean"), printed(SHAPES, "full")
    assert lean == full
    assert len(lean) > 400


def test_what_the_server_relies_on():
    first, *rest = printed(LEAN, "lean")
    assert [int(number) for number in first.split()] == [3, 3], "Position, Range and Location have their own"
    assert rest == [
        "True True",
        "{'range': {'start': {'line': 0, 'character': 1}, 'end': {'line': 2, 'character': 3}}, 'newText': 'x'} True",
        "AttributeError",
        "ValueError",
        "TypeError",
    ]
    assert int(printed(LEAN, "full")[0].split()[0]) > 400


@pytest.mark.parametrize("arguments", [[], ["--debug"]])
def test_only_a_log_shows_values(arguments):
    command = [sys.executable, "-m", "harnlite", "lsp", *arguments]
    done = subprocess.run(
        command, input=b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY), capture_output=True, check=False
    )
    assert b'"serverInfo"' in done.stdout
    assert (b"InitializeParams(" in done.stderr) == bool(arguments)
