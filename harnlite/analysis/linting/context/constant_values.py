"""Constant values in a file: literals, names bound once to one and never assigned, their entries and their sums.

All other values are unknown. A dict with an unknown spread or key records which of its entries are certain.
"""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.names.scopes import Binding

FIXED_KINDS = frozenset({"let", "const", "var"})


_LONGEST = 10_000
"""The most characters of a constant string that is put together."""


class Unknown:
    """The value of an expression that is not constant."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


class Known:
    """A constant value, and the expression that it comes from after names are resolved.

    The value is None, a bool, a number, a str, a Text, a Duration, a Function, a LiteralList or a LiteralDict.
    """

    __slots__ = ("node", "value")

    def __init__(self, value: object, node: nodes.Node) -> None:
        self.value = value
        self.node = node

    def __repr__(self) -> str:
        return f"Known({self.value!r})"


class Duration:
    """A constant duration, in milliseconds."""

    __slots__ = ("milliseconds",)
    harn_type = "duration"

    def __init__(self, milliseconds: object) -> None:
        self.milliseconds = milliseconds


class Text:
    """A string with unknown content."""

    __slots__ = ()
    harn_type = "string"


class Function:
    """A closure, or a named function that is used as a value."""

    __slots__ = ("node",)
    harn_type = "closure"

    def __init__(self, node: nodes.ClosureExpr | nodes.FnDecl) -> None:
        self.node = node


class LiteralList:
    """A list literal; it is open if it contains an unknown spread."""

    __slots__ = ("is_open", "items", "node")
    harn_type = "list"

    def __init__(self, node: nodes.Node) -> None:
        self.node = node
        self.is_open = False
        self.items: list[tuple[nodes.Expr, Known | Unknown]] = []


class Entry:
    """One entry of a dict literal; its value is unknown if an unknown spread may have replaced it."""

    __slots__ = ("key", "node", "value")

    def __init__(self, key: nodes.Expr, node: nodes.Expr, value: Known | Unknown) -> None:
        self.key = key
        self.node = node
        self.value = value


class LiteralDict:
    """A dict literal with its known spreads merged; it is open if it may have further keys."""

    __slots__ = ("entries", "is_open", "node")
    harn_type = "dict"

    def __init__(self, node: nodes.Node) -> None:
        self.node = node
        self.is_open = False
        self.entries: dict[str, Entry] = {}

    def get(self, key: str) -> Known | Unknown:
        """Return the value of a key: unknown if the key may exist, nil if it certainly does not."""
        entry = self.entries.get(key)
        if entry is not None:
            return entry.value
        return UNKNOWN if self.is_open else Known(None, self.node)

    def node_of(self, key: str) -> nodes.Node:
        """Return the node of the value of a key, or the dict itself if it has no such key."""
        entry = self.entries.get(key)
        return self.node if entry is None else entry.node

    def open(self) -> None:
        """Record an unknown spread or key, which may replace the entries so far."""
        self.is_open = True
        self.entries = {key: Entry(entry.key, entry.node, UNKNOWN) for key, entry in self.entries.items()}


def type_name(value: object) -> str:
    """Return the script name of the type of a known value."""
    return _PLAIN_TYPES.get(value.__class__) or str(getattr(value, "harn_type", "unknown"))


_PLAIN_TYPES: dict[type, str] = {
    type(None): "nil",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    list: "list",
    dict: "dict",
}


def literal_of(linting: Linting, node: nodes.Expr) -> Known | Unknown:
    """Return the constant value of an expression, or UNKNOWN."""
    known: dict[nodes.Node, Known | Unknown] = linting.note("literal values", dict)
    if node not in known:
        known[node] = _evaluate(linting, node)
    return known[node]


def _evaluate(linting: Linting, node: nodes.Expr) -> Known | Unknown:
    reader = _READERS.get(node.__class__)
    return UNKNOWN if reader is None else reader(linting, node)


def _literal(_linting: Linting, node: nodes.LiteralExpr) -> Known:
    return Known(Duration(node.value) if node.kind == "duration" else node.value, node)


def _of_name(linting: Linting, node: nodes.NameExpr) -> Known | Unknown:
    binding = linting.resolution.bindings.get(node)
    if binding is None:
        return UNKNOWN
    if binding.kind == "fn" and isinstance(binding.decl, nodes.FnDecl):
        return UNKNOWN if binding.assignments or binding.redeclared else Known(Function(binding.decl), binding.decl)
    value = only_value(binding)
    return UNKNOWN if value is None else literal_of(linting, value)


def only_value(binding: Binding) -> nodes.Expr | None:
    """Return the expression that a name is bound to, if it is bound once and never assigned, in whole or in part."""
    is_fixed = (
        binding.kind in FIXED_KINDS
        and binding.assignments == 0
        and len(binding.values) == 1
        and not binding.redeclared
        and isinstance(binding.decl, nodes.NamePattern)
    )
    value = binding.values[0] if is_fixed else None
    return value if isinstance(value, nodes.Expr) else None


def _unary(linting: Linting, node: nodes.UnaryExpr) -> Known | Unknown:
    operand = literal_of(linting, node.operand)
    if isinstance(operand, Known):
        value = operand.value
        if node.op == "-" and (value.__class__ is int or value.__class__ is float):
            return Known(-value, node)
        if node.op == "!" and value.__class__ is bool:
            return Known(not value, node)
    return UNKNOWN


def _template(linting: Linting, node: nodes.TemplateExpr) -> Known:
    """Return the text of a string whose interpolations are constant strings, or else a Text."""
    parts = [literal_of(linting, part) for part in node.parts]
    texts = [part.value for part in parts if isinstance(part, Known) and isinstance(part.value, str)]
    is_constant = len(texts) == len(parts) and sum(map(len, texts)) <= _LONGEST
    return Known("".join(texts) if is_constant else Text(), node)


def _sum(linting: Linting, node: nodes.BinaryExpr) -> Known | Unknown:
    """Return the sum of two strings, lists or dicts; one operand of a sum of dicts may be unknown."""
    if node.op != "+":
        return UNKNOWN
    left, right = literal_of(linting, node.left), literal_of(linting, node.right)
    if not isinstance(left, Known):
        is_dict = isinstance(right, Known) and isinstance(right.value, LiteralDict)
        return _merged(node, left, right) if is_dict else UNKNOWN
    if isinstance(left.value, str) and isinstance(right, Known) and isinstance(right.value, str):
        is_short = len(left.value) + len(right.value) <= _LONGEST
        return Known(left.value + right.value if is_short else Text(), node)
    if isinstance(left.value, (str, Text)):
        return Known(Text(), node)
    if isinstance(left.value, LiteralDict):
        return _merged(node, left, right)
    if isinstance(left.value, LiteralList):
        joined = LiteralList(node)
        _extend(joined, left)
        _extend(joined, right)
        return Known(joined, node)
    return UNKNOWN


def _merged(node: nodes.BinaryExpr, left: Known | Unknown, right: Known | Unknown) -> Known:
    found = LiteralDict(node)
    _merge(found, left)
    _merge(found, right)
    return Known(found, node)


def _property(linting: Linting, node: nodes.PropertyExpr) -> Known | Unknown:
    return _entry(literal_of(linting, node.receiver), node.name.text)


def _index(linting: Linting, node: nodes.IndexExpr) -> Known | Unknown:
    index = literal_of(linting, node.index)
    return _entry(literal_of(linting, node.receiver), index.value if isinstance(index, Known) else None)


def _entry(receiver: Known | Unknown, key: object) -> Known | Unknown:
    """Return the value of a key in a dict literal, or UNKNOWN if the key is not written there."""
    found = receiver.value if isinstance(receiver, Known) else None
    entry = found.entries.get(key) if isinstance(found, LiteralDict) and isinstance(key, str) else None
    return UNKNOWN if entry is None else entry.value


def _list(linting: Linting, node: nodes.ListExpr) -> Known:
    found = LiteralList(node)
    for item in node.items:
        if not isinstance(item, nodes.SpreadExpr):
            found.items.append((item, literal_of(linting, item)))
            continue
        _extend(found, literal_of(linting, item.value))
    return Known(found, node)


def _extend(found: LiteralList, more: Known | Unknown) -> None:
    """Add the items of a list; those of an unknown one may be anything."""
    if isinstance(more, Known) and isinstance(more.value, LiteralList):
        found.items += more.value.items
        found.is_open |= more.value.is_open
    else:
        found.is_open = True


def _dict(linting: Linting, node: nodes.DictExpr) -> Known:
    found = LiteralDict(node)
    for entry in node.entries:
        if isinstance(entry, nodes.SpreadExpr):
            _merge(found, literal_of(linting, entry.value))
        elif isinstance(entry, nodes.DictEntry):
            key = _key(linting, entry)
            if key is None:
                found.open()
            else:
                found.entries[key] = Entry(entry.key, entry.value, literal_of(linting, entry.value))
    return Known(found, node)


def _merge(found: LiteralDict, more: Known | Unknown) -> None:
    """Add the entries of a dict; those of an unknown one may replace all."""
    if not isinstance(more, Known) or not isinstance(more.value, LiteralDict):
        found.open()
        return
    if more.value.is_open:
        found.open()
    found.entries.update(more.value.entries)


def _key(linting: Linting, entry: nodes.DictEntry) -> str | None:
    key = literal_of(linting, entry.key)
    return key.value if isinstance(key, Known) and isinstance(key.value, str) else None


def literal_dicts(linting: Linting) -> Iterator[LiteralDict]:
    """Yield every dict literal of the file; of a sum of dicts, the sum instead of its operands."""
    pending: list[nodes.Node] = [linting.module]
    while pending:
        node = pending.pop()
        children = node.children()
        if isinstance(node, (nodes.DictExpr, nodes.BinaryExpr)):
            found = literal_of(linting, node)
            if isinstance(found, Known) and isinstance(found.value, LiteralDict):
                yield found.value
                children = [child for one in _operands(node) for child in one.children()]
        pending += children


def _operands(node: nodes.Expr) -> list[nodes.Expr]:
    """Return the dict literals of a sum, and its other operands as they are."""
    if not isinstance(node, nodes.BinaryExpr):
        return [node]
    return [operand for side in (node.left, node.right) for operand in _operands(side)]


_READERS: dict[type, Callable[..., Known | Unknown]] = {
    nodes.LiteralExpr: _literal,
    nodes.TemplateExpr: _template,
    nodes.ClosureExpr: lambda _linting, node: Known(Function(node), node),
    nodes.NameExpr: _of_name,
    nodes.UnaryExpr: _unary,
    nodes.BinaryExpr: _sum,
    nodes.PropertyExpr: _property,
    nodes.IndexExpr: _index,
    nodes.ListExpr: _list,
    nodes.DictExpr: _dict,
}
