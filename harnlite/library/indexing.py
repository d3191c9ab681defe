"""Writes `index.py`: which module and attribute each builtin is. Run as `python -m harnlite.library.indexing`."""

from __future__ import annotations

import ast
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_INDEX = os.path.join(_HERE, "index.py")
_HEAD = '"""Which module and attribute each builtin is; written by `python -m harnlite.library.indexing`."""\n\n'


def natives_of(text: str) -> list[tuple[str, str]]:
    """Return the builtins that the text of a library module implements, with the names of their functions."""
    return [
        (ast.literal_eval(mark.args[0]), node.name)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "native"
    ]


def index_text() -> str:
    """Return what belongs into the file."""
    entries: dict[str, tuple[str, str]] = {}
    for name in sorted(os.listdir(_HERE)):
        if name.endswith(".py") and name != os.path.basename(_INDEX):
            with open(os.path.join(_HERE, name), encoding="utf-8") as file:
                for native, function in natives_of(file.read()):
                    if native in entries:
                        raise ValueError(f"two functions for the builtin {native}")
                    entries[native] = (name[:-3], function)
    rows = "".join(f"{name} {module} {function}\n" for name, (module, function) in sorted(entries.items()))
    return f'{_HEAD}INDEX = """\n{rows}"""\n'


def main() -> None:
    """Write the file."""
    text = index_text()
    with open(_INDEX, "w", encoding="utf-8") as file:
        file.write(text)
    sys.stdout.write(f"{_INDEX}: {text.count(chr(10)) - 4} builtins\n")


if __name__ == "__main__":
    main()
