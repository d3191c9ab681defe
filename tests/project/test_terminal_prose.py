"""Texts wrapped for a terminal."""

from harnlite.docs.prose import laid_out

TEXT = """# A heading that is long

One sentence that goes on
over a line end. `--a-word` stays whole.

- an item that is rather long
- another

```harn
let x = "a line that is longer than the width"
let y = 2
```
:help  shows this
"""


def test_only_paragraphs_are_laid_out():
    lines = laid_out(TEXT, 30).split("\n")
    assert lines[:5] == [
        "# A heading that is long",
        "",
        "One sentence that goes on over",
        "a line end. `--a-word` stays",
        "whole.",
    ]
    assert lines[5:] == TEXT.split("\n")[4:]


def test_laying_out_again_changes_nothing():
    once = laid_out(TEXT, 30)
    assert laid_out(once, 30) == once
