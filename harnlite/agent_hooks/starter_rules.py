"""The starter rules: modules of the standard library that `--rules` names, and what they may do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDER = "std/rules/"
_READS_PROJECT = ("fs.read=.",)


class StarterRule:
    """A rule with a meaning in one line and the capabilities that it needs inside a sandbox."""

    __slots__ = ("allow", "meaning", "name")

    def __init__(self, name: str, meaning: str, allow: tuple[str, ...] = ()) -> None:
        self.name = name
        self.meaning = meaning
        self.allow = allow

    @property
    def module(self) -> str:
        """Return the module of the standard library."""
        return _FOLDER + self.name.replace("-", "_")

    @property
    def function(self) -> str:
        """Return the function of the module that registers the rule."""
        return "register_" + self.name.replace("-", "_")


STARTER_RULES = {
    rule.name: rule
    for rule in (
        StarterRule("after-compact", "Repeat the rules file of the project after a compaction.", _READS_PROJECT),
        StarterRule("context", "Say how full the context window is, once at each threshold."),
        StarterRule("every-n-turns", "Repeat a text at every tenth turn."),
        StarterRule("file-changed", "Report files that others change after the agent has read them.", _READS_PROJECT),
        StarterRule("truncated-output", "Say that the output of a tool was cut off, and how to see the rest."),
        StarterRule("tests-fail", "Keep the failures of the last test run in view until the tests pass."),
        StarterRule("read-before-edit", "Mention edits of files that were not read in the session.", _READS_PROJECT),
        StarterRule("secrets", "Refuse to write secrets into files and to commit files that contain them."),
        StarterRule("stale-plan", "Mention a plan that has not been updated for some turns."),
    )
}


def starter_rule(name: str) -> StarterRule:
    """Return a rule; raise ValueError if there is no rule of that name."""
    found = STARTER_RULES.get(name)
    if found is None:
        from harnlite.diagnostics.suggest import near_name

        near = near_name(name, STARTER_RULES)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(STARTER_RULES)}"
        raise ValueError(f"there is no starter rule {name!r}; {hint}")
    return found


def script_text(name: str) -> str:
    """Return the script that a rule stands for. Several of these scripts may follow each other in one program."""
    rule = starter_rule(name)
    return f'import {{ {rule.function} }} from "{rule.module}"\n{rule.function}()'


def allowed_to(names: Iterable[str]) -> list[str]:
    """Return the values of `--allow` that rules need inside a sandbox."""
    return list(dict.fromkeys(grant for name in names for grant in starter_rule(name).allow))
