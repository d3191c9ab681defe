"""Selection of the codes that are reported in each file."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.rules import all_rules
from harnlite.diagnostics.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.configuration import LintConfig
    from harnlite.diagnostics.source import Source

SYNTAX_ERROR = Rule("HARN-SYN-001", "syntax-error", "the text cannot be parsed", severity=ERROR, tolerant=True)
CHECK_ERROR = Rule("HARN-CHK-001", "check-error", "the static check found an error", severity=ERROR, tolerant=True)
CHECK_WARNING = Rule("HARN-CHK-002", "check-warning", "the static check found suspicious code", tolerant=True)
UNUSED_SUPPRESSION = Rule("HARN-SUP-001", "unused-suppression", "a suppression comment has no effect")
PASSES = (CHECK_ERROR, CHECK_WARNING, UNUSED_SUPPRESSION, SYNTAX_ERROR)
"""The codes of findings that do not come from a rule in `rules/`."""

ALL = ("ALL", "HARN")


def known_rules() -> tuple[Rule, ...]:
    """Return all rules, including those of PASSES, in the order of their codes."""
    return tuple(sorted((*all_rules(), *PASSES), key=lambda rule: rule.code))


class Active:
    """The rules to run on one file, and the codes to report."""

    __slots__ = ("codes", "rules")

    def __init__(self, codes: frozenset[str]) -> None:
        self.codes = codes
        self.rules = tuple(rule for rule in all_rules() if rule.code in codes)


class Selection:
    """The codes that a configuration selects; files with their own ignores have fewer."""

    __slots__ = ("_by_ignores", "config", "known")

    def __init__(self, config: LintConfig) -> None:
        self.config = config
        self.known = frozenset(rule.code for rule in known_rules())
        self._by_ignores: dict[tuple[str, ...], Active] = {}

    def of_file(self, source: Source) -> Active:
        """Return the active rules and codes of a file."""
        ignores = self.config.ignores_of(source.path or source.name)
        if ignores not in self._by_ignores:
            self._by_ignores[ignores] = Active(self._codes(ignores))
        return self._by_ignores[ignores]

    def _codes(self, more_ignores: tuple[str, ...]) -> frozenset[str]:
        config = self.config
        chosen = {
            rule.code
            for rule in known_rules()
            if _is_selected(rule, config) and not any(_fits(prefix, rule.code) for prefix in more_ignores)
        }
        return frozenset(chosen | {SYNTAX_ERROR.code})


def _is_selected(rule: Rule, config: LintConfig) -> bool:
    """Return whether a rule is on: the longest matching prefix decides; of equal ones, an ignore has precedence."""
    on = _longest(config.select, rule.code) if config.select is not None else 0 if rule.default else -1
    on = max(on, _longest(config.extend_select, rule.code))
    return on >= 0 and on > _longest(config.ignore, rule.code)


def _longest(prefixes: Sequence[str], code: str) -> int:
    return max((0 if prefix in ALL else len(prefix) for prefix in prefixes if _fits(prefix, code)), default=-1)


def _fits(prefix: str, code: str) -> bool:
    return prefix in ALL or code.startswith(prefix)
