"""The pages that explain diagnostic codes. `explain`, editors and the documentation use the same text."""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explain")
_SUFFIX = ".md"
_FENCE = "```"


class Explanation:
    """The page of one code: its meaning, the reason, a bad and a good example, and how to fix it."""

    __slots__ = ("code", "name", "text")

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        self.text = text
        self.name = text.partition("\n")[0].removeprefix(f"# {code}").strip()

    @property
    def summary(self) -> str:
        """Return the first paragraph in one line."""
        paragraph = self.text.partition("\n")[2].strip().partition("\n\n")[0]
        return " ".join(paragraph.split())

    def section(self, title: str) -> str:
        """Return the text below a heading, or an empty string."""
        _, _, rest = f"\n{self.text}\n## ".partition(f"\n## {title}\n")
        return rest.partition("\n## ")[0].strip()

    def example(self, title: str) -> str:
        """Return the program below a heading."""
        _, _, rest = self.section(title).partition(f"{_FENCE}harn\n")
        return rest.partition(_FENCE)[0]


def explained_codes() -> list[str]:
    """Return the codes that have a page, sorted."""
    return sorted(name.removesuffix(_SUFFIX) for name in os.listdir(_FOLDER) if name.endswith(_SUFFIX))


def explanation_of(code: str) -> Explanation | None:
    """Return the page of a code, or None."""
    if code not in explained_codes():
        return None
    with open(os.path.join(_FOLDER, code + _SUFFIX), encoding="utf-8") as file:
        return Explanation(code, file.read())
