"""Writes the generated pages of a checkout again."""

from __future__ import annotations

import os
import sys

from harnlite.docs.builtins import builtins_page
from harnlite.docs.rules import FOLDER as RULES
from harnlite.docs.rules import rule_pages
from harnlite.resources import folder

# file in docs/, and what makes its new text from the old one
PAGES = {"builtins.md": builtins_page}


def main() -> None:
    """Write each page whose text has changed, and remove those of codes that are gone."""
    docs = os.path.join(os.path.dirname(folder("stdlib")), "docs")
    for name, make in PAGES.items():
        _write(docs, name, make(_read(docs, name)))
    pages = rule_pages()
    os.makedirs(os.path.join(docs, RULES), exist_ok=True)
    for name, text in pages.items():
        _write(docs, name, text)
    for file in os.listdir(os.path.join(docs, RULES)):
        if f"{RULES}/{file}" not in pages:
            os.remove(os.path.join(docs, RULES, file))
            sys.stdout.write(f"docs/{RULES}/{file} removed\n")


def _read(docs: str, name: str) -> str:
    try:
        with open(os.path.join(docs, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(docs: str, name: str, text: str) -> None:
    if text != _read(docs, name):
        with open(os.path.join(docs, name), "w", encoding="utf-8") as file:
            file.write(text)
        sys.stdout.write(f"docs/{name}\n")


if __name__ == "__main__":
    main()
