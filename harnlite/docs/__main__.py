"""Regenerate the pages and editor files of a checkout."""

from __future__ import annotations

import os
import sys

from harnlite.docs.builtins import builtins_page
from harnlite.docs.editors import editor_files
from harnlite.docs.options import agent_page
from harnlite.docs.rules import FOLDER as RULES
from harnlite.docs.rules import rule_pages
from harnlite.resources import folder

DOCS = "docs"
# The generated files, each with a function that takes the old text and returns the new one.
PAGES = {f"{DOCS}/agent.md": agent_page, f"{DOCS}/builtins.md": builtins_page}


def main() -> None:
    """Write each file whose text has changed, and remove the pages of codes that no longer exist."""
    root = os.path.dirname(folder("stdlib"))
    rules = {f"{DOCS}/{name}": text for name, text in rule_pages().items()}
    pages = {name: make(_read(root, name)) for name, make in PAGES.items()}
    for name, text in {**pages, **rules, **editor_files(lambda name: _read(root, name))}.items():
        _write(root, name, text)
    for file in os.listdir(os.path.join(root, DOCS, RULES)):
        if f"{DOCS}/{RULES}/{file}" not in rules:
            os.remove(os.path.join(root, DOCS, RULES, file))
            sys.stdout.write(f"{DOCS}/{RULES}/{file} removed\n")


def _read(root: str, name: str) -> str:
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(root: str, name: str, text: str) -> None:
    if text != _read(root, name):
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
