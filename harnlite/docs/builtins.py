"""`docs/builtins.md`: every builtin and every function of the std modules, from their declarations and doc comments."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.diagnostics.source import Source
from harnlite.docs.listing import markdown_page
from harnlite.library import entries
from harnlite.resources import folder, std_modules
from harnlite.syntax.nodes import FnDecl
from harnlite.syntax.parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The part of the page above this line is written by hand.
MARK = "<!-- From here on `make docs` writes this page. -->\n"

# each heading with the library modules whose builtins it contains
AREAS = (
    ("Output", ("output",)),
    ("Values", ("core",)),
    ("Assertions and error categories", ("assertions", "categories")),
    ("Strings", ("text",)),
    ("Upper and lower case in names", ("casing",)),
    ("Lists", ("lists",)),
    ("Sets", ("sets",)),
    ("Iters and pairs", ("iterators",)),
    ("Streams", ("stream",)),
    ("Tasks", ("tasks", "races")),
    ("The context of a task", ("context",)),
    ("Channels", ("channels",)),
    ("Atomics", ("atomics",)),
    ("Permits", ("permits",)),
    ("Shared cells and maps", ("shared",)),
    ("Mailboxes", ("mailboxes",)),
    ("Regular expressions", ("regex",)),
    ("Math", ("math",)),
    ("Random numbers", ("random",)),
    ("JSON, YAML, TOML", ("json", "yaml", "toml")),
    ("JSON pointers", ("pointers",)),
    ("Queries", ("jq",)),
    ("Schemas", ("schema",)),
    ("Date and time", ("datetime",)),
    ("Clock and timers", ("clock",)),
    ("Paths", ("paths",)),
    ("Files", ("files",)),
    ("Processes", ("process",)),
    ("Environment", ("environment",)),
    ("Store and checkpoints", ("store", "checkpoints")),
    ("Transcripts", ("transcripts", "compaction")),
    ("Event log", ("event_log",)),
    ("Facts and memory", ("facts",)),
    ("Hashes", ("hashing",)),
    ("Model calls", ("llm_calls",)),
    ("Mocking the model", ("llm_mocks",)),
    ("Host calls", ("host_mocks",)),
    ("Standard input", ("stdin",)),
    ("Terminal", ("terminal",)),
    ("Log lines", ("logging",)),
    ("Traces", ("tracing",)),
    ("Tools", ("tools", "plans")),
    ("Providers, models, costs", ("llm_routes",)),
    ("Resilience", ("resilience",)),
    ("Agent loop", ("agent_loop",)),
    ("Agents, sub-agents, workers", ("agents", "workers", "workflows")),
    ("Skills", ("skills",)),
    ("Sessions", ("sessions", "agent_events")),
    ("Hooks", ("hooks",)),
    ("Reminder providers", ("reminder_providers",)),
    ("Tool dispatch", ("dispatch",)),
)


def builtins_page(old: str) -> str:
    """Return the page with everything below the mark regenerated."""
    head, mark, _ = old.partition(MARK)
    if not mark:
        raise ValueError(f"docs/builtins.md has no line {MARK!r}")
    declarations = load_declarations()
    areas = _areas(declarations.public)
    modules = dict(_std_modules())
    parts = [
        head + mark,
        "## All builtins\n",
        " · ".join(f"[{heading}](#{_anchor(heading)})" for heading in (*areas, *modules)) + "\n",
    ]
    for heading, names in areas.items():
        parts.append(f"## {heading}\n")
        parts += [markdown_page(name, declarations) for name in names]
    parts += modules.values()
    return "\n".join(parts)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _areas(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names under each heading, in the order of their declarations."""
    homes = {module: heading for heading, modules in AREAS for module in modules}
    modules = entries()
    found: dict[str, list[str]] = {heading: [] for heading, _ in AREAS}
    for name in names:
        module, _ = modules[name]
        if module not in homes:
            raise ValueError(f"harnlite/docs/builtins.py: AREAS has no heading for the library module {module!r}")
        found[homes[module]].append(name)
    return found


def _paragraphs(doc: str) -> list[str]:
    return [" ".join(paragraph.split("\n")) for paragraph in doc.split("\n\n")]


def _std_modules() -> Iterator[tuple[str, str]]:
    """Yield the heading and the text of each std module."""
    for name in std_modules():
        with open(f"{os.path.join(folder('stdlib'), name)}.harn", encoding="utf-8") as file:
            yield name, _std_module(name, Source(file.read(), name))


def _std_module(name: str, source: Source) -> str:
    rows = [f"| `{_cell(head)}` | {_cell(' '.join(_paragraphs(doc)))} |" for head, doc in exported_functions(source)]
    about = source.text.partition("\n")[0].removeprefix("//").strip()
    return "\n".join([f"## {name}\n", f"{about}\n", "| function | what it does |", "|---|---|", *rows, ""])


def _cell(content: str) -> str:
    return content.replace("|", "\\|")


def exported_functions(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the signature and documentation of each function that a module exports."""
    functions = [node for node in parse(source).module.statements if isinstance(node, FnDecl)]
    some_public = any(node.is_pub for node in functions)
    for node in functions:
        public = node.is_pub if some_public else not node.name.text.startswith("_")
        if public and node.body is not None:
            yield " ".join(source.text[node.name.start : node.body.start].split()), node.doc or ""
