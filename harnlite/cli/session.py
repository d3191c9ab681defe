"""An interactive session with the options of `harnlite repl`."""

from __future__ import annotations

import gc
import sys


class UnusableOptions(Exception):
    """Raised if an option has an invalid value, or names a file that cannot be used."""


def run_session(file: str | None, color: str, *, vi: bool, debug: bool, **engine: object) -> int:
    """Run a session and return the exit status; raise UnusableOptions if it cannot start."""
    gc.disable()  # nothing that is loaded becomes garbage
    from harnlite.cli.run_display import ANSWERS, UnusableFile, read_answers
    from harnlite.cli.terminal import wants_color
    from harnlite.host.engine import Engine
    from harnlite.host.script_limits import engine_settings
    from harnlite.repl.shell import Shell
    from harnlite.values.errors import ScriptError

    try:
        given = engine_settings({name: value for name, value in engine.items() if value is not None})
        shell = Shell(
            Engine(**given),
            vi=vi,
            color=wants_color(color, sys.stdout),
            error_color=wants_color(color, sys.stderr),
            debug=debug,
        )
        if ANSWERS & given.keys():
            read_answers(shell.session.run)
    except UnusableFile as error:
        raise UnusableOptions(str(error)) from None
    except OSError as error:
        raise UnusableOptions(f"cannot open {error.filename!r}: {error.strerror}") from None
    except (ValueError, ScriptError) as error:
        raise UnusableOptions(str(error)) from None
    gc.freeze()
    gc.enable()
    return shell.run(file)
