"""Checks of rules before they are installed: whether they compile, which events they want, what they may not do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnlite.agent_hooks.hook_options import read_options
from harnlite.agent_hooks.hook_settings import settings_for
from harnlite.agent_hooks.rule_scripts import RulesFailed, run_rules
from harnlite.agent_hooks.rule_sets import RuleSet, rules_of
from harnlite.agent_hooks.starter_rules import allowed_to, starter_rule
from harnlite.agent_hooks.wanted_events import enabled_providers, wanted_events
from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.linter import lint
from harnlite.capabilities.catalogue import CAPABILITIES, IN_SANDBOX
from harnlite.capabilities.grants import grants_of
from harnlite.diagnostics.diagnostic import WARNING, Diagnostic
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source_files import read_source
from harnlite.host.toolchain import findings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnlite.runtime.tasks.execution import Execution

DENIED = "HARN-LNT-024"
_FLAGS = "the command"


class UnusableRules(Exception):
    """Raised if rules cannot be installed; with the findings of the compiler if they do not compile."""

    def __init__(self, text: str, report: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.report = tuple(report)


class CheckedRules:
    """What a set of rules wants and lacks."""

    __slots__ = ("lacks", "notes", "wants")

    def __init__(self, wants: Mapping[str, object], lacks: Sequence[Diagnostic], notes: Sequence[str]) -> None:
        self.wants = wants
        """The events of harnlite for which the rules have to run."""
        self.lacks = tuple(lacks)
        """The calls of a script that need more than the options grant."""
        self.notes = tuple(notes)
        """The same for starter rules, as sentences."""


def command_options(
    script: str | None, names: Sequence[str], engine: Mapping[str, object], *, observe: bool
) -> list[str]:
    """Return the options that name the rules and what they may do, as words of a command.

    Starter rules without a script run in a sandbox with what they need; beside a script, only if the user wants it.
    Raise ValueError for an unknown rule.
    """
    words: list[str] = []
    if script is not None:
        words += ["--script", os.path.abspath(os.path.expanduser(script))]
    if names:
        words += ["--rules", ",".join(dict.fromkeys(starter_rule(name).name for name in names))]
    if observe:
        words.append("--observe")
    is_boxed = bool(engine.get("sandbox")) or (bool(names) and script is None)
    if is_boxed:
        words.append("--sandbox")
    allowed = [*_words(engine.get("allow")), *(allowed_to(names) if is_boxed else ())]
    for option, values in (("--allow", allowed), ("--deny", engine.get("deny")), ("--limit", engine.get("limit"))):
        for value in dict.fromkeys(_words(values)):
            words += [option, value]
    if engine.get("max_memory"):
        words += ["--max-memory", str(engine["max_memory"])]
    return words


def check_rules(options: Sequence[str], folder: str) -> CheckedRules:
    """Compile and run rules once to see what they register; raise UnusableRules if that is not possible."""
    rules = rules_of(read_options(["--agent", "any", *options]))
    if rules.script is not None:
        _compile(rules.script)
    wants: dict[str, object] = {}

    def look(run: Execution) -> None:
        wants.update(wanted_events(run, enabled_providers(run, settings_for(rules, folder))))

    try:
        done = _run(rules, folder, look)
    except RulesFailed as failure:
        raise UnusableRules(str(failure)) from None
    scripts = [rules.script, *done] if rules.script is not None else []
    paths = list(dict.fromkeys(path for path in scripts if path.endswith(".harn") and os.path.isfile(path)))
    lacks = [finding for path in paths for finding in _denied_calls(path, rules, folder)]
    return CheckedRules(wants, lacks, _denied_rules(rules, folder))


def _run(rules: RuleSet, folder: str, look: Callable[[Execution], object]) -> list[str]:
    """Run the rules and return the files that they depend on; compiling them may take the time of the first run."""
    try:
        return run_rules(rules, folder, lambda _: None, look).files
    except RulesFailed as failure:
        if failure.is_broken:
            raise
    return run_rules(rules, folder, lambda _: None, look).files


def _compile(path: str) -> None:
    try:
        found = findings(read_source(path))
    except LanguageError as error:
        found = list(error.diagnostics)
    except OSError as error:
        raise UnusableRules(f"cannot read {path}: {error.strerror}") from None
    if any(finding.is_error for finding in found):
        raise UnusableRules(f"{path} does not compile; nothing was changed", found)


def _denied_calls(path: str, rules: RuleSet, folder: str) -> list[Diagnostic]:
    """Return a warning for each call that needs what the options deny."""
    allow, deny = _granted(rules)
    if not deny and not allow:
        return []
    config = LintConfig(select=[DENIED], root=folder)
    config.denied = (os.path.join(folder, _FLAGS), tuple(deny), tuple(allow))
    try:
        found = lint(read_source(path), config)
    except (OSError, LanguageError):
        return []
    return [
        Diagnostic(
            WARNING, one.message, one.source, one.span, help=["the options of install grant it: --allow NAME[=SCOPE]"]
        )
        for one in found
        if one.code == DENIED
    ]


def _denied_rules(rules: RuleSet, folder: str) -> list[str]:
    """Return a sentence for each starter rule that needs what the options deny."""
    allow, deny = _granted(rules)
    grants = grants_of("", folder, allow=allow, deny=deny)
    return [
        f"the rule {name} needs {grant}, which {_FLAGS} denies"
        for name in rules.names
        for grant in starter_rule(name).allow
        if not grants.permits(grant.partition("=")[0], None)
    ]


def _granted(rules: RuleSet) -> tuple[list[str], list[str]]:
    """Return what the options allow and deny; a sandbox denies all but what it allows as a whole."""
    allow, deny = _words(rules.engine.get("allow")), _words(rules.engine.get("deny"))
    if rules.engine.get("sandbox"):
        whole = {name.strip() for text in allow if "=" not in text for name in text.split(",")}
        deny += [name for name in CAPABILITIES if name not in IN_SANDBOX and name not in whole]
    return allow, deny


def _words(value: object) -> list[str]:
    return [str(word) for word in value] if isinstance(value, (list, tuple)) else []
