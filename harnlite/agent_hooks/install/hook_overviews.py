"""What is installed in the configuration of coding agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.agent_hooks.hook_options import HookOptions, UsageError, read_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.agent_hooks.install.installation import Installation, InstalledHook
    from harnlite.diagnostics.errors import LanguageError

_HOOK = "hook"


class Overview:
    """The hooks of one agent in one scope, in one file, with the same options."""

    __slots__ = ("agent", "events", "options", "path", "scope", "words")

    def __init__(self, agent: str, scope: str, hook: InstalledHook) -> None:
        self.agent = agent
        self.scope = scope
        self.path = hook.path
        self.words = hook.words
        self.events = [hook.event]
        self.options = options_in(hook.words)

    def data(self) -> dict[str, Any]:
        """Return the overview as JSON-like data."""
        options = self.options
        return {
            "agent": self.agent,
            "scope": self.scope,
            "path": self.path,
            "script": options.script if options is not None else None,
            "rules": list(options.rules) if options is not None else [],
            "observe": options is not None and options.observe,
            "options": without_event(self.words),
            "events": self.events,
            "command": self.words,
        }

    def rules_text(self) -> str:
        """Return the rules as text."""
        options = self.options
        if options is None:
            return "(a command that harnlite does not understand)"
        parts = [options.script] if options.script else []
        parts += [f"rules {', '.join(options.rules)}"] if options.rules else []
        return " and ".join(parts) + (" (observed only)" if options.observe else "")


def overviews(installation: Installation) -> list[Overview]:
    """Return what is installed. Raise UnusableFile or LanguageError if the configuration cannot be read."""
    found: dict[tuple[str, ...], Overview] = {}
    for hook in installation.hooks():
        key = (hook.path, *(hook.words[:-1] if hook.words[-1:] == [hook.event] else hook.words))
        if key in found:
            found[key].events.append(hook.event)
        else:
            found[key] = Overview(installation.files.name, installation.scope, hook)
    return list(found.values())


def options_in(words: Sequence[str]) -> HookOptions | None:
    """Return the options in the words of a command, or None."""
    if _HOOK not in words:
        return None
    try:
        return read_options(words[words.index(_HOOK) + 1 :])
    except UsageError:
        return None


def without_event(words: Sequence[str]) -> list[str]:
    """Return the options that name the rules and what they may do."""
    if _HOOK not in words:
        return []
    rest = list(words[words.index(_HOOK) + 1 :])
    kept: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--agent":
            rest = rest[1:]
        elif word in {"--sandbox", "--observe"} or "=" in word:
            kept.append(word)
        elif word.startswith("--"):
            kept += [word, *rest[:1]]
            rest = rest[1:]
    return kept


def place_of(error: LanguageError) -> str:
    """Return an error in a configuration as one line with its place."""
    return finding_text(error.diagnostics) if error.diagnostics else str(error)


def finding_text(report: Sequence[Any]) -> str:
    """Return the first error of a report as one line with its place."""
    finding = next((one for one in report if one.is_error), report[0])
    place = finding.source.position(finding.span.start)
    return f"{finding.source.name}:{place.line}:{place.column}: {finding.message}"
