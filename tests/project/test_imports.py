"""Imports are at the top of a module, except those that keep start-up fast, which the tables below list."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "harnlite").rglob("*.py")
}
FACES = ("harnlite", "harnlite.__main__", "harnlite.cli.")
"""Commands and the names of `import harnlite` load what they need when they are used."""

FOREIGN = {
    "select": "1 ms, and only hooks of agents whose rules run need it",
    "_json": "other implementations of Python lack it",
    "asyncio": "59 ms",
    "backports": "12 ms, and only zstd_encode and zstd_decode need it",
    "base64": "11 ms, and only base32_encode needs it",
    "binascii": "1 ms, and only bytes need it",
    "blake3": "1 ms, and only blake3 needs it",
    "brotli": "1 ms, and only brotli_encode and brotli_decode need it",
    "compression": "12 ms, and only zstd_encode and zstd_decode need it",
    "concurrent.futures": "20 ms",
    "ctypes": "10 ms, and only runs whose memory is limited need it",
    "datetime": "2 ms",
    "difflib": "8 ms",
    "email.utils": "25 ms",
    "fcntl": "Windows lacks it",
    "greenlet": "2 ms",
    "httpx2": "100 ms, and only hosts that are not ASCII need it",
    "importlib.metadata": "48 ms",
    "ipaddress": "9 ms, and only IPv6 addresses need it",
    "json": "12 ms",
    "multiprocessing": "27 ms",
    "pathspec": "48 ms",
    "platform": "15 ms",
    "platformdirs": "10 ms, and only servers without --store need it",
    "pwd": "Windows lacks it",
    "random": "4 ms",
    "re": "8 ms",
    "re2": "6 ms; not on all systems",
    "regex": "26 ms",
    "rich.cells": "24 ms",
    "resource": "Windows lacks it",
    "shlex": "9 ms, and only commands that print keys need it",
    "shutil": "16 ms",
    "sqlite3": "8 ms",
    "struct": "1 ms, and only floats as keys need it",
    "subprocess": "27 ms",
    "tempfile": "26 ms",
    "tomllib": "34 ms",
    "traceback": "21 ms",
    "unicodedata": "1 ms, and 1 MB of memory",
    "urllib.request": "64 ms",
    "zoneinfo": "13 ms",
}
"""Modules that are not ours: the CPU time of importing them in a new process of CPython 3.11, or another reason."""

OWN = {
    "harnlite.agent.compaction": "loops that compact their transcripts",
    "harnlite.agent.reminder_providers.silence": "events with reminder providers",
    "harnlite.module_bundle": "calls of coding agents for which rules run",
    "harnlite.agent_hooks": "calls of coding agents for which rules run; the others have a few milliseconds",
    "harnlite.agent.hooks": "programs that write files while hooks listen",
    "harnlite.agent.loop.ending.judges": "loops with judges",
    "harnlite.agent.loop.features": "loops with skills, MCP servers, tool search, a transcript file, or in daemon mode",
    "harnlite.agent.loop.judged_turn": "programs that call agent_turn",
    "harnlite.agent.loop.state.judge_settings": "loops with judges",
    "harnlite.agent.loop.state.resume_conditions": "loops whose model waits for a resumption",
    "harnlite.agent.loop.state.stall": "loops that detect stalls",
    "harnlite.agent.loop.state.turn_dispatch": "loops whose model calls tools",
    "harnlite.agent.loop.turn.llm_caller": "loops with an llm_caller",
    "harnlite.agent.reminder_providers.grounded_review": "loops whose model calls tools",
    "harnlite.agent.reminder_providers.manifest_hooks": "programs in a project with hooks",
    "harnlite.agent.reminder_providers.persona_steps": "personas with steps",
    "harnlite.agent.reminder_providers.settings": "loops that choose or configure reminder providers",
    "harnlite.http.client": "scripts whose HTTP requests reach a server; it loads the HTTP library",
    "harnlite.library.curve_keys": "programs that sign; it loads cryptography, which may not be installed",
    "harnlite.library.pem_keys": "programs with tokens; it loads cryptography, which may not be installed",
    "harnlite.agent.sessions.fired_records": "model calls with pending reminders",
    "harnlite.agent.tools": "loops with policies or host tools; long-running commands",
    "harnlite.agent.workers": "programs with sub-agents, workers, workflows, or loops that suspend",
    "harnlite.capabilities": "runs and engines that are limited to capabilities",
    "harnlite.compiler.compilation": "runs without cached code; it loads the parser, the checker and ast",
    "harnlite.diagnostics.suggest": "calls that name an unknown provider",
    "harnlite.known_keys": "errors, and bugs of harnlite, that are reported",
    "harnlite.durable_files": "runs that write the code cache",
    "harnlite.formats.json.plain_checks": "runs that write large values as JSON; it loads pickle",
    "harnlite.formats.json.reading": "runs that read JSON; it loads json",
    "harnlite.formats.json.writing": "redaction of values; ACP answers `initialize` before",
    "harnlite.formats.patterns": "runs with regular expressions; it loads re2 or regex",
    "harnlite.editor.diagnosing": "language servers after `initialize`, which is answered first",
    "harnlite.editor.features": "language servers after `initialize`",
    "harnlite.editor.texts.workspace": "language servers after `initialize`",
    "harnlite.host.coverage": "tests that measure coverage",
    "harnlite.host.embedded_runs": "runs of a program that embeds harnlite",
    "harnlite.host.failure_report": "runs that fail; it loads the renderers",
    "harnlite.host.launch": "runs, not checks and linting; it loads the library",
    "harnlite.host.memory_watch": "runs whose memory is limited",
    "harnlite.host.linting": "programs that embed harnlite and lint; it loads all rules",
    "harnlite.host.programs": "programs that embed harnlite",
    "harnlite.options.manifest": "programs in a project",
    "harnlite.llm.configuration": "events that measure the context window of a model",
    "harnlite.llm.experiments": "calls with a structural experiment",
    "harnlite.llm.healthcheck": "programs that check whether a model answers",
    "harnlite.llm.fixtures": "runs with recorded answers of models",
    "harnlite.llm.installed_backends": "calls to a provider whose backend no host has registered",
    "harnlite.llm.streaming": "calls that stream",
    "harnlite.llm.structured_answers": "calls with a schema",
    "harnlite.llm.structured_calls": "calls with a schema",
    "harnlite.llm.tool_search": "calls that defer tools",
    "harnlite.llm.vendors": "calls to real models; it loads the HTTP library",
    "harnlite.reminders.rendering": "model calls with pending reminders",
    "harnlite.repl.name_help": "sessions in which :doc is used; it loads the pages",
    "harnlite.compiler.session_inputs": "sessions whose prompt is on the screen; it loads the compiler",
    "harnlite.repl.session_linting": "sessions in which :lint is used; it loads all rules",
    "harnlite.repl.words": "sessions whose prompt is on the screen; it loads pygments",
    "harnlite.repl.prompt": "interactive sessions on a terminal; it loads prompt_toolkit",
    "harnlite.store.redaction": "hooks of agents that log errors or what they have said",
    "harnlite.runtime.concurrency.shared_state": "hooks of agents with shared values",
    "harnlite.runtime.concurrency.parallel": "several tool calls at once",
    "harnlite.runtime.methods.method_lookup": "programs that call methods",
    "harnlite.runtime.tasks.generators": "runs that end inside a generator",
    "harnlite.runtime.tasks.task_errors": "runs whose tasks fail",
    "harnlite.runtime.tasks.threads": "runs that wait for threads",
    "harnlite.runtime.tasks.waiting": "runs that wait for tasks",
    "harnlite.host.guarded_sources": "engines with a clock or ids of their own",
    "harnlite.store.event_log_files": "runs that keep their event log in a file",
    "harnlite.store.recordings": "runs that record or replay calls",
    "harnlite.store.secret_patterns": "logs with text that may hold a secret; it compiles patterns",
    "harnlite.serve.acp.methods": "ACP connections after `initialize`, which is answered first",
    "harnlite.serve.acp.refusals": "ACP connections after `initialize`",
    "harnlite.serve.acp.service": "ACP connections after `initialize`",
    "harnlite.store.spilled_records": "runs with more records than stay in memory; it loads tempfile",
    "harnlite.store.sqlite_event_log": "event logs in SQLite; it loads sqlite3",
    "harnlite.syntax.outline": "commands that print the tree of a program",
    "harnlite.syntax.parser": "runs without cached code",
    "harnlite.syntax.rebuilt_tables": "installations with a changed grammar",
    "harnlite.syntax.table_generator": "installations with a changed grammar; it loads lark",
}
"""Modules and packages of ours: what needs them. No other run loads them."""


def imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Return the modules that an import statement loads."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    assert node.module is not None, "imports are absolute"
    names = {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if name in MODULES else node.module for name in names}


def lazy_imports(tree: ast.AST, *, inside: bool = False) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports inside functions."""
    for node in ast.iter_child_nodes(tree):
        if inside and isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from lazy_imports(node, inside=inside or is_function)


def row_of(module: str) -> str | None:
    """Return the row that allows a module to be loaded on first use: its own, or that of a package it is in."""
    rows = OWN if module.startswith("harnlite") else FOREIGN
    parts = module.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((name for name in names if name in rows), None)


def found() -> list[tuple[str, str]]:
    """Return each import in a function: the place, and the module that it loads."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", target)
        for name, path in sorted(MODULES.items())
        if name not in FACES and not name.startswith(FACES[-1])
        for node in lazy_imports(ast.parse(path.read_bytes()))
        for target in sorted(imported(node))
    ]


def test_imports_in_functions_are_in_the_tables():
    assert [(place, target) for place, target in found() if row_of(target) is None] == []


def test_every_row_is_used():
    used = {row_of(target) for _, target in found()}
    assert {*OWN, *FOREIGN} - used == set()


def test_imports_in_functions_stay_few():
    assert len(found()) <= 230


def test_rows_name_what_exists():
    assert set(OWN) <= set(MODULES)


def test_an_import_that_is_not_in_the_tables_is_found():
    text = """
import os
class A:
    def late(self):
        if self:
            import lark.lexer
            from harnlite.agent.workers import cycles
            from harnlite.version import VERSION
"""
    targets = [target for node in lazy_imports(ast.parse(text)) for target in imported(node)]
    assert targets == ["lark.lexer", "harnlite.agent.workers.cycles", "harnlite.version"]
    assert [row_of(target) for target in targets] == [None, "harnlite.agent.workers", None]
