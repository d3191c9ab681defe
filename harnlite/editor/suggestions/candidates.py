"""Candidates for completion, by the kind of place at the cursor."""

from __future__ import annotations

import re

from harnlite.analysis.builtins.declarations import GLOBAL_VALUES
from harnlite.analysis.builtins.signatures import signature_text
from harnlite.analysis.editing.snippets import SNIPPETS
from harnlite.analysis.types.hoisting import bound_names
from harnlite.analysis.types.nominal import StructInfo
from harnlite.analysis.types.representation import BASES, CONTAINERS, text
from harnlite.diagnostics.explanations import explained_codes, explanation_of
from harnlite.editor.names.attributes import ATTRIBUTES
from harnlite.editor.names.modules import exported
from harnlite.editor.names.wording import doc_of, is_deprecated, line_of
from harnlite.editor.suggestions.foreign import foreign_names, names_to_import
from harnlite.editor.suggestions.glimpse import STAND_IN
from harnlite.editor.suggestions.keys import arm_patterns, keys_at, pattern_at, values_at
from harnlite.editor.suggestions.members import members_at
from harnlite.editor.suggestions.paths import paths_at
from harnlite.editor.suggestions.suggestion import BUILTIN, GLOBAL, KEY, LOCAL, SNIPPET, WORD, Kind, Suggestion, fits
from harnlite.editor.suggestions.syntax_words import (
    begins_statement,
    description_at,
    fields_at,
    keyword,
    keywords_at,
    line_before,
    words_alone,
)
from harnlite.syntax import nodes
from harnlite.syntax.tokens import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.analysis.types.environment import Binding
    from harnlite.editor.names.modules import Origin
    from harnlite.editor.suggestions.glimpse import Glimpse

_NAMING = kinds("fn let var const struct enum interface type tool skill pipeline for catch")
_OF_IMPORT = re.compile(r'[^"}]*\}\s*from\s*"([^"\n]*)"')
_SUPPRESSION = re.compile(r"//[ \t]*harn:[ \t]*(?:(?:file-)?ignore\[[^\]\n]*|[\w-]*)\Z")
_KINDS = {
    nodes.FnDecl: Kind.Function,
    nodes.PipelineDecl: Kind.Function,
    nodes.ToolDecl: Kind.Function,
    nodes.SkillDecl: Kind.Module,
    nodes.StructDecl: Kind.Struct,
    nodes.EnumDecl: Kind.Enum,
    nodes.InterfaceDecl: Kind.Interface,
    nodes.TypeDecl: Kind.Class,
}

_NAMED = (nodes.PipelineDecl, nodes.ToolDecl, nodes.SkillDecl)


def suggested(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the suggestions for the cursor, nearest first."""
    place = glimpse.place
    frame = place.frames[-1]
    if place.in_comment:
        yield from _codes(glimpse)
    elif place.quote >= 0:
        yield from paths_at(glimpse) if place.previous[-1] in {"import", "from"} else values_at(glimpse)
    elif place.previous[-1] == "@":
        for name in sorted(ATTRIBUTES):
            yield Suggestion(name, Kind.Keyword, KEY, detail="attribute", doc=ATTRIBUTES[name])
    elif place.previous[-1] in {".", "?."}:
        yield from members_at(glimpse)
    elif frame.sign == "{" and frame.before == "import":
        yield from _importable(glimpse)
    elif not _is_naming(glimpse):
        yield from _words(glimpse)


def is_specific(glimpse: Glimpse) -> bool:
    """Return whether the place accepts only a few specific suggestions, rather than any name."""
    place = glimpse.place
    if place.in_comment or place.quote >= 0 or place.previous[-1] in {".", "?.", "@"}:
        return True
    return place.frames[-1].before == "import" or next(keys_at(glimpse), None) is not None


def _codes(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the suggestions in a comment that silences findings."""
    written = glimpse.document.text[: glimpse.offset]
    found = _SUPPRESSION.search(written, written.rfind("\n") + 1)
    if found is None:
        return
    if "[" not in found[0]:
        for form, doc in (
            ("ignore", "Silences a code on this line."),
            ("file-ignore", "Silences a code in the whole file."),
        ):
            yield Suggestion(form, Kind.Keyword, KEY, doc=doc, insert=f"{form}[$0]", snippet=True)
        return
    for code in explained_codes():
        page = explanation_of(code)
        if page is not None and code not in found[0]:
            yield Suggestion(code, Kind.Value, KEY, detail=page.name, doc=page.summary)


def _importable(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the exports of the imported file that are not in the import list yet."""
    frame = glimpse.place.frames[-1]
    found = _OF_IMPORT.match(glimpse.document.text, glimpse.offset)
    if found is None:
        yield from names_to_import(glimpse)
        return
    target = glimpse.files.imported(glimpse.document, found[1])
    if target is None:
        return
    for name, origin in exported(glimpse.files, target).items():
        if name not in frame.listed or name == glimpse.place.word:
            yield of_origin(name, origin, KEY)


def of_origin(name: str, origin: Origin, rank: int) -> Suggestion:
    """Return the suggestion for a declaration of another file."""
    made = _declared(name, origin.decl, origin.document.text, rank)
    made.data = {"uri": origin.document.uri, "name": origin.decl.name.text}
    made.doc = ""
    return made


def _declared(name: str, decl: nodes.Node, source: str, rank: int) -> Suggestion:
    kind = _KINDS.get(type(decl), Kind.Variable)
    made = Suggestion(name, kind, rank, detail=line_of(decl, source), doc=doc_of(decl))
    made.deprecated = is_deprecated(decl)
    return made


def _is_naming(glimpse: Glimpse) -> bool:
    """Return whether the user is writing a new name or a number."""
    place = glimpse.place
    before = place.previous[-1]
    if not place.word and before[:1].isdigit() and glimpse.document.text[: glimpse.offset].endswith(before):
        return True
    frame = place.frames[-1]
    return before in _NAMING or (frame.is_head and before in {"(", ","})


def _words(glimpse: Glimpse) -> Iterator[Suggestion]:
    keys = list(keys_at(glimpse)) or list(fields_at(glimpse)) or pattern_at(glimpse)
    if keys is not None:
        yield from keys
        return
    if isinstance(glimpse.node, nodes.NamedType):
        yield from _types(glimpse)
        yield from (one for one in foreign_names(glimpse) if one.kind != Kind.Function)
        return
    if isinstance(glimpse.node, nodes.BindPattern):
        yield from arm_patterns(glimpse)
        return
    alone = words_alone(glimpse)
    if alone is not None:
        yield from (keyword(word) for word in alone)
        return
    find = _AFTER_WORD.get(glimpse.place.previous[-1])
    yield from find(glimpse) if find is not None else _anything(glimpse)


def _anything(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the suggestions for the start of an expression or a statement."""
    yield from (one for one in (description_at(glimpse),) if one is not None)
    yield from values_at(glimpse, quotes='"')
    starts = begins_statement(glimpse)
    yield from _names(glimpse)
    frame = glimpse.place.frames[-1]
    if frame.is_dict and not frame.key and frame.before != "->":
        return
    if glimpse.place.previous[-2:] != ["|", ">"]:
        yield from keywords_at(glimpse, starts=starts)
    if starts:
        yield from _snippets()
    yield from _builtins(glimpse)
    yield from foreign_names(glimpse)


def _structs(glimpse: Glimpse) -> Iterator[Suggestion]:
    infos = (info for info in glimpse.sight.types.values() if isinstance(info, StructInfo))
    yield from (_declared(info.name, info.decl, info.source.text, KEY) for info in infos)


def _pipelines(glimpse: Glimpse) -> Iterator[Suggestion]:
    decls = (node for node in glimpse.document.module.statements if isinstance(node, nodes.PipelineDecl))
    yield from (_declared(node.name.text, node, glimpse.document.text, KEY) for node in decls)


def _quoted_paths(glimpse: Glimpse) -> Iterator[Suggestion]:
    if "import" not in line_before(glimpse):
        yield from _anything(glimpse)  # `from` precedes the channel of a case
        return
    for one in paths_at(glimpse):
        if one.kind != Kind.Folder:
            yield Suggestion(f'"{one.label}"', one.kind, one.rank, detail=one.detail)


_AFTER_WORD: dict[str, Callable[[Glimpse], Iterator[Suggestion]]] = {
    "impl": _structs,
    "extends": _pipelines,
    "import": _quoted_paths,
    "from": _quoted_paths,
}
"""Functions that find the suggestions after a word that allows nothing else."""


def _names(glimpse: Glimpse) -> Iterator[Suggestion]:
    sight, top = glimpse.sight, glimpse.noter.scope.names
    decls = {node.name.text: node for node in glimpse.noter.tree if isinstance(node, _NAMED)}
    own = {*_being_bound(glimpse), STAND_IN}
    for name, binding in sight.names.items():
        if name in own or not fits(name, glimpse.place.word.lower()):
            continue
        rank = GLOBAL if top.get(name) is binding else LOCAL
        if binding.home is not None:
            made = _declared(name, binding.home.decl, binding.home.source.text, rank)
        elif binding.info is not None and binding.info.decl is not None and binding.info.source is not None:
            made = _declared(name, binding.info.decl, binding.info.source.text, rank)
        elif rank == GLOBAL and name in decls:
            made = _declared(name, decls[name], glimpse.source_text, rank)
        else:
            made = _variable(glimpse, name, binding, rank)
        yield made
    for frame in () if glimpse.way else glimpse.place.frames:
        yield from (Suggestion(name, Kind.Variable, LOCAL) for name in frame.names if name not in sight.names)


def _being_bound(glimpse: Glimpse) -> set[str]:
    """Return the names that the statement around the cursor binds: its value cannot refer to them yet."""
    names: set[str] = set()
    for node in glimpse.way:
        if isinstance(node, nodes.ClosureExpr):
            names.clear()
        elif isinstance(node, nodes.LetStmt):
            names.update(bound_names([node]))
    return {name for name in names if (found := glimpse.sight.names.get(name)) is None or found.kind == "later"}


def _variable(glimpse: Glimpse, name: str, binding: Binding, rank: int) -> Suggestion:
    kind = glimpse.sight.type_of(binding)
    icon = Kind.Constant if binding.kind == "const" else Kind.Variable
    return Suggestion(name, icon, rank, detail="" if kind is None else text(kind))


def _types(glimpse: Glimpse) -> Iterator[Suggestion]:
    for name, info in glimpse.sight.types.items():
        decl, source = getattr(info, "decl", None), getattr(info, "source", None)
        if decl is None:
            yield Suggestion(name, Kind.TypeParameter, LOCAL)
        else:
            yield _declared(name, decl, source.text if source is not None else "", GLOBAL)
    for name in sorted((*BASES, *CONTAINERS, "Result")):
        yield Suggestion(name, Kind.Class, WORD, detail="type")


def _snippets() -> Iterator[Suggestion]:
    for label, body in SNIPPETS.items():
        yield Suggestion(label, Kind.Snippet, SNIPPET, detail="snippet", insert=body, snippet=True)


def _builtins(glimpse: Glimpse) -> Iterator[Suggestion]:
    declarations, word = glimpse.files.declarations, glimpse.place.word.lower()
    for name in sorted(declarations.namespaces):
        yield Suggestion(name, Kind.Module, BUILTIN, detail="namespace")
    for name in declarations.public:
        if "." not in name and fits(name, word):
            detail = signature_text(name, declarations) if word else ""  # resolved later in a long list
            yield Suggestion(name, Kind.Function, BUILTIN, detail=detail, data={"builtin": name})
    yield from (Suggestion(name, Kind.Constant, BUILTIN) for name in sorted(GLOBAL_VALUES))
