"""The properties of a formatted text: the same tree, the same comments, and no change when formatted again."""

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.nodes import Node
from harnlite.syntax.parser import parse
from harnlite.syntax.printer import format_source

PLACES = frozenset({"start", "end", "op_start", "path_start"})


def tree_of(text):
    """Return the tree of a text, or nothing if it has mistakes."""
    result = parse(Source(text), declarations=True)
    return None if result.diagnostics else result.module


def difference(left, right):
    """Return the first place where two trees differ, positions aside."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if one.__class__ is not other.__class__:
            return f"{one!r:.200} became {other!r:.200}"
        if isinstance(one, Node):
            pending.extend((getattr(one, key), getattr(other, key)) for key in type(one).fields if key not in PLACES)
        elif isinstance(one, (list, tuple)):
            if len(one) != len(other):
                return f"{one!r:.200} became {other!r:.200}"
            pending.extend(zip(one, other, strict=True))
        elif one != other:
            return f"{one!r:.200} became {other!r:.200}"
    return None


def comments_of(text):
    """Return the comments of a text in their order, whatever their indents."""
    lexer = Lexer(Source(text))
    lexer.read()
    return [" ".join(text[start:end].split()) for start, end in lexer.comments]


def faults_of(text, width=100):
    """Return what is wrong with the formatted form of a text that has no mistakes."""
    before = tree_of(text)
    formatted = format_source(Source(text), width)
    after = tree_of(formatted)
    if after is None:
        return [f"cannot be read any more:\n{formatted}"]
    faults = []
    change = difference(before, after)
    if change is not None:
        faults.append(f"the tree has changed: {change}\n{formatted}")
    if comments_of(text) != comments_of(formatted):
        faults.append(f"comments have changed:\n{formatted}")
    if format_source(Source(formatted), width) != formatted:
        faults.append(f"formatting again changes this:\n{formatted}")
    if not formatted.endswith("\n") and formatted:
        faults.append("the last line does not end")
    return faults
