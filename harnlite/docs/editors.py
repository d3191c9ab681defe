"""The generated parts of `editors/`: the words of the language, in the notation of each editor."""

from __future__ import annotations

import json
import plistlib
import re
import textwrap
from typing import TYPE_CHECKING

from harnlite.analysis.editing.snippets import SNIPPETS
from harnlite.docs.textmate import BUILTIN_TYPES, builtin_functions, grammar
from harnlite.docs.textmate_rules import any_of
from harnlite.options.expected import REMINDER
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, DURATION_UNITS, WORD_CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = "editors"
_SECTION = re.compile(
    r"(^[^\n]*BEGIN of what `make generate` writes\n)(.*?)(^[^\n]*END of what)", re.MULTILINE | re.DOTALL
)


def editor_files(read: Callable[[str], str]) -> dict[str, str]:
    """Return the texts of the files by path; `read` returns the current text of partly hand-written files."""
    grammar_data = grammar()
    vim, emacs = f"{FOLDER}/vim/syntax/harn.vim", f"{FOLDER}/emacs/harn-mode.el"
    return {
        f"{FOLDER}/vscode/syntaxes/harn.tmLanguage.json": _json(grammar_data),
        f"{FOLDER}/vscode/snippets/harn.json": _json(_snippets()),
        f"{FOLDER}/sublime/Harn.tmLanguage": plistlib.dumps(grammar_data, sort_keys=False).decode(),
        vim: _with_section(read(vim), _vim_words()),
        emacs: _with_section(read(emacs), _emacs_words()),
    }


def _json(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _snippets() -> dict[str, object]:
    return {f"harnlite: {name}": {"prefix": name, "body": body.split("\n")} for name, body in SNIPPETS.items()}


def _with_section(old: str, lines: Iterable[str]) -> str:
    text, count = _SECTION.subn(lambda found: found[1] + "".join(f"{line}\n" for line in lines) + found[3], old)
    if count != 1:
        raise ValueError("a file in editors/ has lost the lines that mark its generated part")
    return text


def _reserved() -> dict[str, list[str]]:
    return {kind: sorted(words - CONTEXTUAL_WORDS) for kind, words in WORD_CLASSES.items()}


def _vim_words() -> list[str]:
    groups = {"operator": "harnWordOperator"}
    return [
        *(
            rf"syntax match {groups.get(kind, f'harn{kind.title()}')} /\<\%({_either(words)}\)\>/"
            for kind, words in _reserved().items()
        ),
        rf"syntax match harnDuration /\<\d[0-9_]*\%({_either(DURATION_UNITS)}\)\>/",
        rf"syntax match harnBuiltinType /\%([:<|[,]\s*\|->\s*\)\@10<=\%({_either(BUILTIN_TYPES)}\)\>/",
        *_vim_keywords("harnReminderKey", REMINDER.keys),
        *_vim_keywords("harnBuiltin", builtin_functions()),
    ]


def _either(words: Iterable[str]) -> str:
    return any_of(words).replace("|", r"\|")


def _vim_keywords(group: str, words: Iterable[str]) -> list[str]:
    head = f"syntax keyword {group} contained"
    return [f"{head} {line}" for line in textwrap.wrap(" ".join(sorted(words)), 110 - len(head))]


def _emacs_words() -> list[str]:
    return [
        *_emacs_list("harn-constants", _reserved()["constant"]),
        *_emacs_list(
            "harn-keywords", sorted(word for kind, words in _reserved().items() if kind != "constant" for word in words)
        ),
        *_emacs_list("harn-types", sorted(BUILTIN_TYPES)),
        *_emacs_list("harn-reminder-keys", sorted(REMINDER.keys)),
        *_emacs_list("harn-builtins", builtin_functions()),
    ]


def _emacs_list(name: str, words: Iterable[str]) -> list[str]:
    lines = textwrap.wrap(" ".join(f'"{word}"' for word in words), 100)
    return [f"(defconst {name}", "  '(" + "\n    ".join(lines) + "))"]
