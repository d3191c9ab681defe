"""harnlite: system reminders for LLM agents, and a scripting language to write them in.

A public name is imported when it is first used, so that `import harnlite` stays fast.
"""

from __future__ import annotations

from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.configuration import LintConfig
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.errors import InternalError, LanguageError
    from harnlite.diagnostics.source import Source, Span
    from harnlite.host.conversion import EnumValue, Handle, ScriptFunction, StructValue
    from harnlite.host.embedded_runs import RunResult
    from harnlite.host.engine import Engine
    from harnlite.host.host import Host
    from harnlite.host.host_errors import HostError, ReminderError, TurnCancelled
    from harnlite.host.public import check, lint, parse, run
    from harnlite.host.subscriptions import Subscription
    from harnlite.host.turns import Turn
    from harnlite.runtime.tasks.clock import Clock
    from harnlite.runtime.tasks.ids import Ids
    from harnlite.values.errors import ScriptError

__version__ = VERSION

__all__ = [
    "Clock",
    "Diagnostic",
    "Engine",
    "EnumValue",
    "Handle",
    "Host",
    "HostError",
    "Ids",
    "InternalError",
    "LanguageError",
    "LintConfig",
    "ReminderError",
    "RunResult",
    "ScriptError",
    "ScriptFunction",
    "Source",
    "Span",
    "StructValue",
    "Subscription",
    "Turn",
    "TurnCancelled",
    "__version__",
    "check",
    "lint",
    "parse",
    "run",
]

_MODULES = {
    "Clock": "runtime.tasks.clock",
    "Diagnostic": "diagnostics.diagnostic",
    "Engine": "host.engine",
    "EnumValue": "host.conversion",
    "Handle": "host.conversion",
    "Host": "host.host",
    "HostError": "host.host_errors",
    "Ids": "runtime.tasks.ids",
    "InternalError": "diagnostics.errors",
    "LanguageError": "diagnostics.errors",
    "LintConfig": "analysis.linting.context.configuration",
    "ReminderError": "host.host_errors",
    "RunResult": "host.embedded_runs",
    "ScriptError": "values.errors",
    "ScriptFunction": "host.conversion",
    "Source": "diagnostics.source",
    "Span": "diagnostics.source",
    "StructValue": "host.conversion",
    "Subscription": "host.subscriptions",
    "Turn": "host.turns",
    "TurnCancelled": "host.host_errors",
    "check": "host.public",
    "lint": "host.public",
    "parse": "host.public",
    "run": "host.public",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'harnlite' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"harnlite.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
