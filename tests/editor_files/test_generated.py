"""The generated files in editors/ are current, and their source table matches the grammar."""

import json
import plistlib
import re
from pathlib import Path

from harnlite.analysis.editing.snippets import SNIPPETS
from harnlite.docs.editors import editor_files
from harnlite.syntax.contextual_words import CONTEXTUAL
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS, WORD_CLASSES

ROOT = Path(__file__).parents[2]
# Kinds of tokens that the grammar names by two words; `try *` begins with a keyword that is one without it too.
MERGED = {"AS_STREAM": "as", "NOTIN": "not", "TRYSTAR": "try"}
LITERALS = {
    "ID", "METHOD", "PVAR", "INT", "FLOAT", "DURATION", "STRING", "TEMPLATE", "NL", "SEMI", "COMMA", "COLON", "AT",
    "LPAR", "RPAR", "LSQB", "RSQB", "LB", "LBA", "LBS", "LBP", "RB", "LTG", "GTG", "DOT", "OPTDOT", "OPTB", "TRYQ",
    "QMARK", "ELLIPSIS", "ARROW", "BAR", "ASSIGN", "ASSIGN_OP", "PIPE", "OR", "AND", "EQ", "NE", "LT", "GT", "LE", "GE",
    "COALESCE", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "POWER", "BANG",
}  # fmt: skip


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_files_are_current():
    for path, text in editor_files(read).items():
        assert read(path) == text, f"{path}: run make generate"


def test_the_words_are_those_of_the_grammar():
    declared = {
        name
        for line in re.findall(r"^%declare (.*)$", read("grammar/harn.lark"), re.MULTILINE)
        for name in line.split()
    }
    words = {MERGED.get(name, name.lower()) for name in declared - LITERALS}
    assert words | WORD_CLASSES["reserved"] == KEYWORDS | CONTEXTUAL_WORDS
    assert declared > LITERALS


def test_a_word_has_one_class_and_one_nature():
    assert sum(map(len, WORD_CLASSES.values())) == len(KEYWORDS | CONTEXTUAL_WORDS)
    assert not KEYWORDS & CONTEXTUAL_WORDS
    assert CONTEXTUAL.keys() == CONTEXTUAL_WORDS


def test_both_forms_of_the_textmate_grammar_are_one():
    data = json.loads(read("editors/vscode/syntaxes/harn.tmLanguage.json"))
    assert plistlib.loads(read("editors/sublime/Harn.tmLanguage").encode()) == data


def test_the_snippets_are_those_of_completion():
    made = json.loads(read("editors/vscode/snippets/harn.json"))
    assert {entry["prefix"]: "\n".join(entry["body"]) for entry in made.values()} == SNIPPETS


def test_every_editor_knows_every_reserved_word():
    for path in ("editors/vim/syntax/harn.vim", "editors/emacs/harn-mode.el"):
        text = read(path)
        assert not [word for word in KEYWORDS | CONTEXTUAL_WORDS if word not in text]
