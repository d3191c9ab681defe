"""HARN-RMD-007: a loop enables too many reminder providers."""

from __future__ import annotations

from harnlite.analysis.linting.context.constant_values import Known, LiteralList
from harnlite.analysis.linting.context.reminder_sites import LOOPS, REGISTER, as_dict, as_text, calls_of, dict_argument
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR
from harnlite.reminders.enabled_providers import CANONICAL, MOST_ENABLED, limit_text, select
from harnlite.resources import STD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.constant_values import LiteralDict, Unknown
    from harnlite.analysis.linting.context.linted_file import Linting


def _finish(linting: Linting) -> None:
    registered = _registered(linting)
    if registered is None:
        return
    for name, call in calls_of(linting):
        options = dict_argument(linting, call, LOOPS[name]) if name in LOOPS else None
        chosen = None if options is None else _chosen(options)
        if chosen is None:
            continue
        texts = [text for text in (as_text(item) for _, item in chosen.items) if text is not None]
        count = len(select(texts)[1].keys() - registered)
        if not chosen.is_open and len(texts) == len(chosen.items) and count > MOST_ENABLED:
            linting.report(
                RULE,
                chosen.node,
                limit_text(count).replace(f"{RULE.code}: ", "", 1),
                help=('remove some with "-id", or split the loop',),
            )


def _registered(linting: Linting) -> set[str] | None:
    """Return the ids that the file registers beside the canonical ones, or None if there may be others."""
    if any(not node.path.startswith(STD) for node in linting.resolution.imports):
        return None
    found = set()
    for name, call in calls_of(linting):
        if name == REGISTER:
            config = dict_argument(linting, call, 0)
            provider_id = None if config is None else as_text(config.get("id"))
            if provider_id is None:
                return None
            found.add(provider_id.strip())
    return found - CANONICAL.keys()


def _chosen(options: LiteralDict) -> LiteralList | None:
    """Return the list of ids in the option `reminders`."""
    wanted: Known | Unknown = options.get("reminders")
    inner = as_dict(wanted)
    if inner is not None:
        enabled = inner.get("enabled")
        if not isinstance(enabled, Known) or enabled.value is False:
            return None
        wanted = inner.get("providers")
    return wanted.value if isinstance(wanted, Known) and isinstance(wanted.value, LiteralList) else None


RULE = Rule(
    "HARN-RMD-007",
    "reminder-provider-count",
    "a loop enables too many reminder providers",
    severity=ERROR,
    finish=_finish,
    tolerant=True,
)
