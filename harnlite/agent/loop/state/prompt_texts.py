"""The option `prompts`: replacements for the texts that the runtime sends to a model."""

from __future__ import annotations

import os

from harnlite.regular_files import regular_file
from harnlite.runtime.access_control import place_of
from harnlite.values.data_types import is_callable, type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.runtime.tasks.execution import Execution

PREFIX = "agent."


def prompt_text(
    run: Execution, options: Mapping[str, object], name: str, default: str, bindings: Mapping[str, object]
) -> str:
    """Return the text with a name: the entry of `prompts`, with its bindings filled in, or else the default."""
    prompts = options.get("prompts")
    given = prompts.get(PREFIX + name) if isinstance(prompts, dict) else None
    if given is None:
        return default
    if is_callable(given):
        return display(given(dict(bindings)))
    if isinstance(given, dict):
        given = _read(run, name, given["path"]) if given.get("path") is not None else given.get("text")
    if not isinstance(given, str):
        found = type_name(given)
        raise thrown(f"agent_loop: prompts entry '{PREFIX}{name}' must be a string, dict, or closure; got {found}")
    return filled(given, bindings)


def filled(text: str, bindings: Mapping[str, object]) -> str:
    """Return a text with each `{{name}}` replaced by its binding; other braces stay."""
    for name, value in bindings.items():
        mark = "{{" + name + "}}"
        if mark in text:
            text = text.replace(mark, "" if value is None else display(value))
    return text


def _read(run: Execution, name: str, path: object) -> str:
    place = place_of(run, "fs.read", "agent_loop", os.path.join(run.cwd, os.path.expanduser(display(path))))
    try:
        with open(place.open(os.O_RDONLY, regular_file), encoding="utf-8") as stream:
            return stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "stream did not contain valid UTF-8"
        raise thrown(f"agent_loop: prompts entry '{PREFIX}{name}' cannot be read: {display(path)}: {reason}") from None
