"""The digest of the builtins matches their declarations."""

from __future__ import annotations

from pathlib import Path

from harnlite.analysis.builtins import digest
from harnlite.analysis.builtins.declarations import digest_of
from harnlite.diagnostics.source import Source
from harnlite.resources import builtins_file
from harnlite.syntax.parser import parse

DIGEST = Path(digest.__file__).with_name("builtins.digest")


def test_the_file_is_up_to_date() -> None:
    assert DIGEST.read_bytes() == digest.digest_bytes(Path(builtins_file()).read_bytes())


def test_the_loaded_builtins_are_those_declared() -> None:
    assert digest.load_declarations().entries == digest.parsed_entries(Path(builtins_file()).read_bytes())


def test_declarations_become_plain_data() -> None:
    text = (
        '/// Joins.\n@capability("fs.read")\nextern fn f<T>(a: list<T>, b: "x" | nil = nil, ...c: any) -> {x?: int}\n'
        "extern fn stream.map(f: fn(int) -> bool)\n"
    )
    result = parse(Source(text), declarations=True)
    assert not result.diagnostics
    assert digest_of(result.module, text) == {
        "f": (
            (
                ("a", ("of", "list", ("T",)), False, False, None),
                ("b", ("union", (("literal", "string", "x"), "nil")), True, False, "nil"),
                ("c", "any", False, True, None),
            ),
            ("shape", (("x", "int", True),)),
            ("T",),
            "fs.read",
            "Joins.",
        ),
        "stream.map": ((("f", ("fn", ("int",), "bool"), False, False, None),), None, (), None, ""),
    }
