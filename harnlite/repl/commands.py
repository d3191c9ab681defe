"""The commands of the session, which start with a colon."""

from __future__ import annotations

import os
import re

from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source_files import read_source
from harnlite.diagnostics.suggest import near_name
from harnlite.docs.prose import for_terminal
from harnlite.store.timeline_text import text_of
from harnlite.values.data_types import type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from harnlite.repl.shell import Shell

_WORD = re.compile(r"(?P<word>exit|quit|help)(?:\(\s*(?P<name>[\w.]*)\s*\))?;?")
_MILLISECOND = 1e-3
_HELP = """\
Each input is a program. Its bindings are kept, and the value of its last expression is shown and bound to `_`.
An incomplete input continues on the next line. Ctrl-C cancels a line or stops a running input, Ctrl-D exits, as do
`exit` and `quit`; `help` shows this help.

{commands}
"""


class Command:
    """A command: its argument, a summary and the function that executes it."""

    __slots__ = ("argument", "perform", "summary")

    def __init__(self, argument: str, summary: str, perform: Callable[[Shell, str], bool]) -> None:
        self.argument = argument
        self.summary = summary
        self.perform = perform


def command_of(text: str, bound: Container[str]) -> str | None:
    """Return the command that a word stands for which is not a program: `exit`, `quit` or `help`, also as a call.

    A name that the session has bound is an ordinary name.
    """
    found = _WORD.fullmatch(text.strip())
    if found is None or found["word"] in bound:
        return None
    if found["word"] == "exit" and "(" in text:
        return None  # the builtin, which sets the exit status
    if found["name"]:
        return f":doc {found['name']}" if found["word"] == "help" else None
    return f":{found['word']}"


def run_command(shell: Shell, text: str) -> bool:
    """Execute a command; return whether it succeeded."""
    text = text.strip()
    if text.startswith("?"):
        return _document(shell, text[1:].strip()) if text[1:].strip() else _help(shell, "")
    name, _, rest = text[1:].partition(" ")
    name = _SHORT.get(name, name)
    command = COMMANDS.get(name)
    rest = rest.strip()
    if command is None:
        near = near_name(name, COMMANDS)
        shell.screen.complain(f"there is no command :{name}" + (f". Did you mean :{near}?" if near else "; see :help"))
        return False
    if bool(rest) != bool(command.argument):
        shell.screen.complain(f"usage: :{name} {command.argument}".rstrip())
        return False
    return command.perform(shell, rest)


def _help(shell: Shell, _text: str) -> bool:
    heads = {f":{name} {command.argument}".rstrip(): command.summary for name, command in COMMANDS.items()}
    width = max(map(len, heads))
    lines = [f"{head.ljust(width)}  {summary}" for head, summary in heads.items()]
    shell.screen.page(for_terminal(_HELP.format(commands="\n".join(lines))))
    return True


def _document(shell: Shell, name: str) -> bool:
    from harnlite.repl.name_help import document

    names = shell.session.names
    functions = names.functions()
    if name in names.kinds and all(function.name.text != name for function, _ in functions):
        return _type(shell, name)
    found = document(name, functions, names.kinds)
    if found is None:
        shell.screen.complain(f"there is no documentation for {name}")
        return False
    shell.screen.page(for_terminal(found))
    return True


def _type(shell: Shell, text: str) -> bool:
    known = shell.session.static_type(text)
    if known is None:
        answer = shell.perform(text, is_probe=True)
        if answer.is_error:
            return shell.report(answer)
        known = type_name(answer.value)
    shell.screen.tell(known)
    return True


def _time(shell: Shell, text: str) -> bool:
    answer = shell.perform(text)
    went_well = shell.report(answer)
    shell.screen.tell(_duration(answer.seconds))
    return went_well


def _duration(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds >= 1 else f"{seconds / _MILLISECOND:.3f} ms"


def _load(shell: Shell, path: str) -> bool:
    try:
        source = read_source(os.path.expanduser(path))
    except OSError as error:
        shell.screen.complain(f"cannot read {path!r}: {error.strerror}")
        return False
    except LanguageError as error:
        shell.screen.findings(error.diagnostics)
        return False
    return shell.report(shell.perform(source.text, path=source.path))


def _save(shell: Shell, path: str) -> bool:
    try:
        with open(os.path.expanduser(path), "x", encoding="utf-8") as file:
            file.write(_text_of(shell))
    except FileExistsError:
        shell.screen.complain(f"{path!r} already exists; nothing was written")
        return False
    except OSError as error:
        shell.screen.complain(f"cannot write {path!r}: {error.strerror}")
        return False
    shell.screen.tell(f"{len(shell.session.inputs)} inputs written to {path}")
    return True


def _text_of(shell: Shell) -> str:
    return "".join(f"{text.strip()}\n" for text in shell.session.inputs)


def _lint(shell: Shell, _text: str) -> bool:
    from harnlite.repl.session_linting import findings_in

    found = findings_in(_text_of(shell), shell.session.names.kinds)
    shell.screen.findings(found)
    if not found:
        shell.screen.tell("No findings.")
    return not found


def _trace(shell: Shell, _text: str) -> bool:
    shell.screen.page(text_of(shell.timeline, color=shell.screen.color))
    return True


def _reset(shell: Shell, _text: str) -> bool:
    shell.reset()
    shell.screen.tell("The session has been reset.")
    return True


def _leave(shell: Shell, _text: str) -> bool:
    shell.is_leaving = True
    return True


COMMANDS = {
    "help": Command("", "show this help", _help),
    "doc": Command("NAME", "show the documentation of a builtin, function, module or code; also ?NAME", _document),
    "type": Command("EXPR", "show the type of an expression, which is evaluated only if necessary", _type),
    "time": Command("EXPR", "run an expression and show how long it took", _time),
    "load": Command("FILE", "run a file in the session", _load),
    "save": Command("FILE", "write all successful inputs to a new file", _save),
    "lint": Command("", "find mistakes in all inputs", _lint),
    "trace": Command("", "show the events of reminders in this session", _trace),
    "reset": Command("", "discard all bindings and state", _reset),
    "quit": Command("", "exit", _leave),
}
_SHORT = {"q": "quit", "h": "help", "?": "help", "exit": "quit", "l": "load", "t": "type", "d": "doc"}
