"""The options of a hook, parsed without click: the agent, the rules, and what the rules may do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTED = {"--allow": "allow", "--deny": "deny", "--limit": "limit"}
_SINGLE = {"--max-memory": "max_memory"}


class UsageError(ValueError):
    """Raised if the options of a hook cannot be understood."""


class HookOptions:
    """The options of one call. `engine` holds those that the `run` command has too."""

    __slots__ = ("agent", "engine", "event", "observe", "rules", "script")

    def __init__(self) -> None:
        self.agent = ""
        self.event = ""
        self.script: str | None = None
        self.rules: tuple[str, ...] = ()
        self.observe = False
        self.engine: dict[str, object] = {}


def read_options(arguments: Sequence[str]) -> HookOptions:
    """Parse the arguments after `hook`; raise UsageError if they cannot be understood."""
    options = HookOptions()
    position, end = 0, len(arguments)
    while position < end:
        name, sign, value = arguments[position].partition("=")
        position += 1
        if name in {"--observe", "--sandbox"} and not sign:
            _set(options, name, "")
            continue
        if not name.startswith("--"):
            if options.event:
                raise UsageError(f"unexpected argument {name!r}")
            options.event = name + sign + value
            continue
        if not sign:
            if position == end:
                raise UsageError(f"option {name!r} requires a value")
            value = arguments[position]
            position += 1
        _set(options, name, value)
    if not options.agent:
        raise UsageError("option '--agent' is required")
    return options


def _set(options: HookOptions, name: str, value: str) -> None:
    engine = options.engine
    if name == "--agent":
        options.agent = value
    elif name == "--script":
        options.script = value
    elif name == "--rules":
        options.rules = (*options.rules, *filter(None, map(str.strip, value.split(","))))
    elif name == "--observe":
        options.observe = True
    elif name == "--sandbox":
        engine["sandbox"] = True
    elif name in _SINGLE:
        engine[_SINGLE[name]] = value
    elif name in _LISTED:
        key = _LISTED[name]
        before = engine.get(key, ())
        engine[key] = (*before, value) if isinstance(before, tuple) else (value,)
    else:
        raise UsageError(f"unknown option {name!r}")


def is_call(arguments: Sequence[str]) -> bool:
    """Return whether the arguments after `hook` are those of a call by an agent, and not a command for people."""
    return bool(arguments) and arguments[0].startswith("--") and arguments[0] != "--help"
