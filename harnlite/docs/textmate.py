"""The TextMate grammar, in Python: its regular expressions are hard to read in JSON, and its words come from tables.

The grammar matches the form of a line, not its meaning; the language server provides the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.types.representation import BASES, CONTAINERS
from harnlite.docs.textmate_rules import BRACKETS, any_of, bracketed, include, region, rule
from harnlite.options.expected import REMINDER
from harnlite.syntax.strings import ESCAPES
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, DURATION_UNITS, WORD_CLASSES

if TYPE_CHECKING:
    from harnlite.docs.textmate_rules import Rule

BUILTIN_TYPES = ({*BASES, *CONTAINERS} - {"nil"}) | {"Result"}
SCOPES = {
    "constant": "constant.language",
    "binding": "storage.type",
    "declaration": "storage.type",
    "modifier": "storage.modifier",
    "condition": "keyword.control.conditional",
    "loop": "keyword.control.loop",
    "failure": "keyword.control.exception",
    "flow": "keyword.control.flow",
    "module": "keyword.control.import",
    "operator": "keyword.operator.word",
    "reserved": "keyword.other.reserved",
}
PARTS = (
    "comments", "attributes", "strings", "numbers", "functions", "types", "bindings", "closures", "keys", "members",
    "words", "calls", "names", "operators", "brackets",
)  # fmt: skip

_NAME = r"[^\W\d]\w*"
_DIGITS = r"[0-9](?:_?[0-9])*"
_START = r"(?:^|(?<=[;{}]))\s*"  # the start of a statement
_FN = "storage.type.function"
_FUNCTION = "entity.name.function"
_TYPE = "entity.name.type"
_FIELD = "variable.other.property"
_PARAMETER = "variable.parameter"
_ARROW = "keyword.operator.arrow"
_COLON = "punctuation.separator.colon"
_COMMENT = "punctuation.definition.comment"
_STRING = "punctuation.definition.string"

# A contextual word is a keyword only next to certain other words; each pattern has the word as its only group.
CONTEXT = {
    "as": r"(?<=\})\s*(as\s+stream)\b",
    "const": rf"{_START}(const)(?!\s+(?:in|to|exclusive|not|as|from)\b)(?=\s+[\w{{\[])",
    "default": rf"{_START}(default)(?=\s*\{{)",
    "each": r"(?<=\bparallel\s)\s*(each)\b",
    "extern": r"\b(extern)(?=\s+fn\b)",
    "gen": r"\b(gen)(?=\s+fn\b)",
    "not": r"\b(not)(?=\s+in\b)",
    "settle": r"(?<=\bparallel\s)\s*(settle)\b",
    "timeout": rf"{_START}(timeout)(?=\s+[\w(])(?!\s+from\b)",
    "where": rf"\b(where)(?=\s+{_NAME}\s*:)",
    "with": r"\b(with)(?=\s*\{)",
}


def builtin_functions() -> list[str]:
    """Return the names of the public builtins, without those in namespaces."""
    return sorted(name for name in load_declarations().public if "." not in name)


def grammar() -> Rule:
    """Return the grammar as data, which is written as JSON and as a property list."""
    return {
        "name": "harnlite",
        "scopeName": "source.harn",
        "fileTypes": ["harn"],
        "firstLineMatch": r"^#!.*\bharnlite\b",
        "patterns": [rule(r"\A#!.*$", "comment.line.shebang"), include("code")],
        "repository": {name: {"patterns": rules} for name, rules in _repository().items()},
    }


def _repository() -> dict[str, list[Rule]]:
    return {
        "code": [include(name) for name in PARTS],
        "comments": _comments(),
        "nested-comment": [region(r"/\*", r"\*/", rules=[include("nested-comment")])],
        "attributes": _attributes(),
        "strings": _strings(),
        "text": [_text()],
        "interpolation": [_interpolation()],
        "numbers": _numbers(),
        "functions": _functions(),
        "parameters": _parameters(),
        "types": _declared_types(),
        "type": _type(),
        "generics": [_generics()],
        "fields": _fields(),
        "bindings": _bindings(),
        "closures": [_closure()],
        "keys": _keys(),
        "members": _members(),
        "words": _words(),
        "calls": _calls(),
        "names": _names(),
        "operators": _operators(),
        "brackets": [bracketed(pair, include("code")) for pair in BRACKETS],
    }


# Comments, strings, numbers


def _comments() -> list[Rule]:
    nested = [include("nested-comment")]
    words = "keyword.other.suppression"
    return [
        rule(
            r"(//)\s*(harn:)\s*((?:file-)?ignore)\[([^\]\n]*)\].*$",
            "comment.line.double-slash",
            [_COMMENT, words, words, "constant.other.code"],
        ),
        rule(r"(///)(?!/).*$", "comment.line.documentation", [_COMMENT]),
        rule(r"(//).*$", "comment.line.double-slash", [_COMMENT]),
        region(r"/\*\*(?![*/])", r"\*/", "comment.block.documentation", rules=nested),
        region(r"/\*", r"\*/", "comment.block", rules=nested),
    ]


def _strings() -> list[Rule]:
    raw = region(r'\b(r)(")', r'"|$', "string.quoted.raw", begins=["storage.type.string", _STRING], ends=_STRING)
    triple = region(
        '(""")', '"""', "string.quoted.triple", rules=[include("interpolation")], begins=[_STRING], ends=_STRING
    )
    return [triple, raw, include("text")]


def _text() -> Rule:
    escapes = "".join(sorted(ESCAPES)).replace("\\", "\\\\")
    inside = [
        rule(rf"\\(?:[{escapes}]|u\{{[0-9a-fA-F]+\}})", "constant.character.escape"),
        rule(r"\\[^\n]"),
        include("interpolation"),
    ]
    return region('(")', '"|$', "string.quoted.double", rules=inside, begins=[_STRING], ends=_STRING)


def _interpolation() -> Rule:
    edge = "punctuation.section.embedded"
    return region(
        r"(\$\{)", r"\}", "meta.embedded.expression", rules=[include("code")], begins=[edge], ends=edge
    )  # fmt: skip


def _numbers() -> list[Rule]:
    return [
        rule(rf"\b{_DIGITS}({any_of(DURATION_UNITS)})(?!\w)", "constant.numeric.duration", ["keyword.other.unit"]),
        rule(r"\b0x[0-9a-fA-F](?:_?[0-9a-fA-F])*(?!\w)", "constant.numeric.hex"),
        rule(r"\b0b[01](?:_?[01])*(?!\w)", "constant.numeric.binary"),
        rule(rf"\b{_DIGITS}(?:\.{_DIGITS}(?:[eE][+-]?{_DIGITS})?|[eE][+-]?{_DIGITS})", "constant.numeric.float"),
        rule(rf"\b{_DIGITS}", "constant.numeric.integer"),
    ]


# Declarations


def _attributes() -> list[Rule]:
    scopes = ["punctuation.definition.annotation", "entity.name.function.decorator"]
    key = rule(rf"({_NAME})\s*(:)", groups=["entity.other.attribute-name", _COLON])
    return [
        region(rf"(@)({_NAME})\(", r"\)", "meta.attribute", rules=[key, include("code")], begins=scopes),
        rule(rf"(@)({_NAME})", "meta.attribute", scopes),
    ]


def _functions() -> list[Rule]:
    """Return rules for the heads of functions, pipelines and tools, which have the same form, and of skills."""
    head = [
        include("comments"),
        include("generics"),
        bracketed("()", include("parameters")),
        region(
            r"(->)\s*",
            r'(?<=[\w>\]"}])(?=\s*(?:$|[{},;)=]|//|/\*|(?:where|extends|fn|gen|pub|type)\b))',
            rules=[include("type")],
            begins=[_ARROW],
        ),
    ]
    field = "entity.other.attribute-name"
    return [
        region(
            rf"\b(?:(gen|extern)\s+)?(fn|pipeline|tool|override)\b(?:\s+({_NAME}(?:\.{_NAME})*))?(?=\s*[(<])",
            r"(?<=\))(?!\s*->)|(?=[^\s<(/-])",
            rules=head,
            begins=["storage.modifier", _FN, _FUNCTION],
        ),
        rule(rf"\b(extends)\s+({_NAME})", groups=["storage.modifier", "entity.other.inherited-class"]),
        region(
            rf"\b(skill)\s+({_NAME})\s*\{{",
            r"\}",
            rules=[rule(rf"{_START}({_NAME})(?=\s+\S)", groups=[field]), include("code")],
            begins=[_FN, _FUNCTION],
        ),
        rule(rf'{_START}(description)(?=\s+r?")', groups=[field]),
    ]


def _parameters() -> list[Rule]:
    return [
        include("comments"),
        rule(r"\.\.\.", "keyword.operator.spread"),
        region(r"(:)", r"(?=[,)=]|->)", rules=[include("type")], begins=[_COLON]),
        region(r"(=)", r"(?=[,)]|->)", rules=[include("code")], begins=["keyword.operator.assignment"]),
        rule(r"\bself\b", "variable.language.self"),
        rule(_NAME, _PARAMETER),
        rule(",", "punctuation.separator.comma"),
    ]


def _declared_types() -> list[Rule]:
    name = [include("comments"), include("generics")]
    return [
        region(
            rf"\b(struct)\s+({_NAME})",
            r"(?<=\})|(?=[^\s<{/])",
            rules=[*name, bracketed("{}", include("fields"))],
            begins=["storage.type.struct", _TYPE],
        ),
        region(
            rf"\b(enum)\s+({_NAME})",
            r"(?<=\})|(?=[^\s<{/])",
            rules=[*name, bracketed("{}", *_variants())],
            begins=["storage.type.enum", _TYPE],
        ),
        region(rf"\b(interface|impl)\s+({_NAME})", r"(?=[^\s<])", rules=name, begins=["storage.type.class", _TYPE]),
        region(
            rf"\b(type)\s+({_NAME})",
            r"(?<=[^=|\s])\s*$|(?=[;}]|\bfn\s+[^\W\d])",
            rules=[*name, rule("=", "keyword.operator.assignment"), include("type")],
            begins=["storage.type.type", _TYPE],
        ),
        region(CONTEXT["where"], r"(?=\{)|$", rules=[include("fields")], begins=["storage.modifier"]),
    ]


def _variants() -> list[Rule]:
    return [
        include("comments"),
        bracketed("()", include("parameters")),
        rule(_NAME, "variable.other.enummember"),
        rule(",", "punctuation.separator.comma"),
    ]


def _generics() -> Rule:
    """Return the rule for type parameters and type arguments."""
    variance = rule(rf"\b(?:in|out)(?=\s+{_NAME})", "storage.modifier.variance")
    return region("<", ">", rules=[variance, include("type")])


def _fields() -> list[Rule]:
    """Return rules for the fields between the braces of a struct or a shape."""
    return [rule(rf"({_NAME})(\??)\s*(:)", groups=[_FIELD, "keyword.operator.optional", _COLON]), include("type")]


def _type() -> list[Rule]:
    return [
        include("comments"),
        include("text"),
        include("numbers"),
        include("generics"),
        bracketed("{}", include("fields")),
        bracketed("[]", include("type")),
        region(r"(\bfn)\s*\(", r"\)", rules=[include("type")], begins=[_FN]),
        rule("->", _ARROW),
        rule(r"\|", "keyword.operator.type"),
        rule(r"\b(?:true|false|nil)\b", SCOPES["constant"]),
        rule(rf"\b(?:{any_of(BUILTIN_TYPES)})\b", "support.type.builtin"),
        rule(_NAME, _TYPE),
        rule(",", "punctuation.separator.comma"),
    ]


def _bindings() -> list[Rule]:
    """Return rules for `let x: T = …` and for a typed `catch`."""
    return [
        region(
            rf"\b(let|var|const)\s+({_NAME})\s*(:)",
            r"(?==)|(?=[;}])|(?<=[^|\s])\s*$",
            rules=[include("type")],
            begins=[SCOPES["binding"], "variable.other.readwrite", _COLON],
        ),
        region(r"\b(catch)\s*\(", r"\)", rules=[include("parameters")], begins=[SCOPES["failure"]]),
    ]


def _closure() -> Rule:
    """Return the rule for parameters between the brace of a closure and its arrow on the same line."""
    return region(
        rf"(?<=\{{)\s*(?!(?:nil|true|false)\b)(?=(?:\.\.\.)?{_NAME}\s*(?:[:,=][^{{}}()\"\n]*)?->)",
        r"(?=->)",
        rules=[include("parameters")],
    )


# Expressions


def _keys() -> list[Rule]:
    """Return rules for names before a colon, keys of dicts and of patterns, where keywords are names too."""
    start, end = r"(?:^|(?<=[{,]))\s*", r"(?=\s*\??\s*:)"
    return [
        rule(rf"{start}({any_of(REMINDER.keys)}){end}", groups=["support.type.property-name.reminder"]),
        rule(rf"{start}({_NAME}){end}", groups=[_FIELD]),
    ]


def _members() -> list[Rule]:
    """Return rules for names after a dot, where keywords are names too."""
    dot = r"(?<!\.)(\?\.|\.)(?!\.)\s*"
    access = "punctuation.accessor"
    call = r"(?=\s*\(|<[\w\s,|<>\[\]]*>\()"
    return [
        rule(rf"{dot}([A-Z]\w*)", groups=[access, "variable.other.enummember"]),
        rule(rf"{dot}({_NAME}){call}", groups=[access, "entity.name.function.member"]),
        rule(rf"{dot}({_NAME})", groups=[access, _FIELD]),
    ]


def _words() -> list[Rule]:
    contextual = [
        rule(CONTEXT[word], groups=[SCOPES[kind]])
        for kind, words in WORD_CLASSES.items()
        for word in sorted(words & CONTEXTUAL_WORDS)
    ]
    reserved = [
        rule(rf"\b(?:{any_of(words - CONTEXTUAL_WORDS)})\b", SCOPES[kind]) for kind, words in WORD_CLASSES.items()
    ]
    return [*contextual, *reserved]


def _calls() -> list[Rule]:
    names = builtin_functions()
    builtin = "support.function.builtin"
    return [
        rule(rf"\b(?:{any_of(names)})\b(?=\s*\()", builtin),
        rule(rf"(\|>)\s*({any_of(names)})\b(?!\s*[.(])", groups=["keyword.operator.pipe", builtin]),
        rule(rf"\b(?:{any_of(load_declarations().namespaces)})\b(?=\s*\.)", "support.module"),
        region(rf"\b({_NAME})(<)(?=[\w\s,|<>\[\]]*>\()", ">", rules=[include("type")], begins=[_FUNCTION]),
        rule(r"\b(?:self)\b", "variable.language.self"),
        rule(r"\b[A-Z][A-Z0-9_]+\b(?!\s*[({])", "variable.other.constant"),
        rule(r"\b[A-Z]\w*", _TYPE),
        rule(rf"\b{_NAME}(?=\s*\()", _FUNCTION),
    ]


def _names() -> list[Rule]:
    return [rule(r"\b_\b", "variable.language.placeholder"), rule(_NAME, "variable.other.readwrite")]


def _operators() -> list[Rule]:
    table = {
        r"\|>": "pipe",
        "->": "arrow",
        r"\.\.\.": "spread",
        r"\?\?": "coalesce",
        "==|!=|<=|>=|<|>": "comparison",
        r"&&|\|\||!": "logical",
        "[-+*/%]=": "assignment.compound",
        "=": "assignment",
        r"\*\*|[-+*/%]": "arithmetic",
        r"\?": "optional",
        r"\|": "alternative",
    }
    return [
        *(rule(pattern, f"keyword.operator.{name}") for pattern, name in table.items()),
        rule(r"\\$", "punctuation.separator.continuation"),
        rule(",", "punctuation.separator.comma"),
        rule(";", "punctuation.terminator.statement"),
        rule(":", _COLON),
        rule("[#'`]", "invalid.illegal"),
    ]
