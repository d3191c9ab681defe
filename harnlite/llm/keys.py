"""The API keys of providers, from environment variables or from commands that print them."""

from __future__ import annotations

import os

from harnlite.known_keys import add_key
from harnlite.llm.configuration import configuration_of
from harnlite.llm.providers import ENDPOINTS
from harnlite.llm.secrets import Secret
from harnlite.runtime.access_control import require
from harnlite.runtime.child_processes import child_environment
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_BUILTIN = "llm_call"


def _names(entry: dict[str, object]) -> list[str]:
    names = entry["auth_envs"]
    return names if isinstance(names, list) else []


_USUAL = frozenset(name for entry in ENDPOINTS.values() for name in _names(entry))
"""The variables that hold keys without any configuration."""
_SECONDS = 60
"""The time limit of a command that prints a key."""


class Keys:
    """The keys of a run, by provider; a command runs once."""

    __slots__ = ("_printed",)

    def __init__(self) -> None:
        self._printed: dict[str, Secret] = {}

    def of(self, run: Execution, name: str) -> Secret | None:
        """Return the key of a provider, or None if it has none; throw if its command fails."""
        known = configuration_of(run)
        variable = known.key_variable(name)
        if variable is not None:
            _check_variable(run, name, variable)
            found = _checked(os.environ[variable].strip(), f"the API key in {variable}")
        elif known.endpoints.get(name, {}).get("key_cmd"):
            found = self._from_command(run, name)
        else:
            return None
        return found

    def _from_command(self, run: Execution, name: str) -> Secret:
        if name not in self._printed:
            self._printed[name] = _printed(run, name)
        return self._printed[name]


def keys_of(run: Execution) -> Keys:
    """Return the keys of a run."""
    return run.state("llm_keys", Keys)


def _check_variable(run: Execution, name: str, variable: str) -> None:
    """Throw if the file of a project chooses a variable that the run may not read: it may hold another secret."""
    file = configuration_of(run).files.get((name, "auth_envs"))
    if file is not None and file.is_project and variable not in _USUAL:
        require(run, "env.read", _BUILTIN, variable)


def _printed(run: Execution, name: str) -> Secret:
    """Run the command of a provider and return what it prints; its output is never part of an error.

    A command in the file of a project needs the capability to run programs, since the project may be a stranger's. A
    command in a file of the user does not.
    """
    import subprocess

    known = configuration_of(run)
    file = known.files.get((name, "key_cmd"))
    words = _words(known.endpoints[name]["key_cmd"], name)
    if file is not None and file.is_project:
        require(run, "process.exec", _BUILTIN, words[0])
    what = f"the key_cmd of provider `{name}`"
    try:
        done = subprocess.run(  # noqa: S603 - the user has configured it
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
            cwd=run.cwd,
            env=child_environment(run) if file is not None and file.is_project else None,
        )
    except subprocess.TimeoutExpired:
        raise runtime_error(f"{what} did not end within {_SECONDS} seconds") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it contains a nul byte"
        raise runtime_error(f"{what} cannot be run: {reason}") from None
    if done.returncode != 0:
        raise runtime_error(f"{what} ended with status {done.returncode}; its output is not shown")
    text = done.stdout.decode("utf-8", "replace").strip()
    if not text or len(text.split()) > 1:
        raise runtime_error(f"{what} must print one key, but printed {'several words' if text else 'nothing'}")
    return _checked(text, f"the key that {what} prints")


def _checked(text: str, what: str) -> Secret:
    """Return a key, which no output shows from now on; throw if no header can contain it."""
    add_key(text)
    if not text:
        raise runtime_error(f"{what} is empty")
    if not (text.isascii() and text.isprintable() and " " not in text):
        raise runtime_error(f"{what} contains a space, a line break or a character that is not ASCII; it is not sent")
    return Secret(text)


def _words(command: object, name: str) -> list[str]:
    """Return a command as a list of words; a string is split as a shell does it, but no shell runs."""
    if isinstance(command, str):
        import shlex

        try:
            words = shlex.split(command)
        except ValueError as error:
            raise runtime_error(f"the key_cmd of provider `{name}` cannot be read: {error}") from None
    else:
        words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    if not words:
        raise runtime_error(f"the key_cmd of provider `{name}` is empty")
    return words
