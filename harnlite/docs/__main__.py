"""Writes the generated pages of a checkout again."""

from __future__ import annotations

import os
import sys

from harnlite.docs.builtins import builtins_page
from harnlite.resources import folder

# file in docs/, and what makes its new text from the old one
PAGES = {"builtins.md": builtins_page}


def main() -> None:
    """Write each page whose text has changed."""
    docs = os.path.join(os.path.dirname(folder("stdlib")), "docs")
    for name, make in PAGES.items():
        path = os.path.join(docs, name)
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = make(old)
        if new != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            sys.stdout.write(f"docs/{name}\n")


if __name__ == "__main__":
    main()
