"""The entry point of `harnlite`: click parses all commands except `run`, calls of agents and a few usual calls."""

from __future__ import annotations

import errno
import gc
import os
import sys

from harnlite.cli import exit_codes
from harnlite.cli.run_request import STDIN, RunRequest, read_request
from harnlite.cli.signals import Signals
from harnlite.cli.terminal import flush, prepare, silence_stdout
from harnlite.package_finder import install

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

COMPLETION = "_HARNLITE_COMPLETE"
HOOK = "hook"
FULL = frozenset({errno.ENOSPC, errno.EIO})
YOUNG = 40_000
"""The number of new objects that triggers a garbage collection; Python's 700 triggers it while modules are loading."""


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    gc.set_threshold(YOUNG)
    install()
    arguments = sys.argv[1:]
    if arguments[:1] == [HOOK]:
        _answer_agent(arguments[1:])
    signals = Signals()
    signals.listen()
    try:
        prepare()
        status = _dispatch(arguments, signals)
        flush()
    except BrokenPipeError:
        silence_stdout()
        status = exit_codes.OK
    except Exception as error:  # noqa: BLE001 - the outermost handler: no traceback unless asked for
        status = _fault(error, debug="--debug" in arguments)
    _end(status)


def _answer_agent(arguments: Sequence[str]) -> None:
    """Answer a call of a coding agent and exit, whatever happens with status 0; return if it is not such a call."""
    from harnlite.agent_hooks.hook_options import is_call

    if not is_call(arguments):
        return
    status = exit_codes.OK
    try:
        from harnlite.agent_hooks.hook_process import run_hook

        status = run_hook(arguments)
    finally:
        os._exit(status)


def _end(status: int) -> NoReturn:
    """Exit at once: all output is written, and an orderly interpreter shutdown would only cost time."""
    try:
        flush()
    except OSError:
        silence_stdout()
    os._exit(status)


def _dispatch(arguments: Sequence[str], signals: Signals) -> int:
    request = _request(arguments)
    if request is not None:
        if request.file is None and request.code is None:
            status = _take_entry(request, arguments)
            if status is not None:
                return status
        from harnlite.module_bundle import use_bundle, write_bundle

        bundle = use_bundle("run")
        from harnlite.cli.run_script import run_script

        status = run_script(request, signals)
        if status == exit_codes.OK:
            flush()  # nobody waits for the bundle
            write_bundle(bundle)
        return status
    if COMPLETION not in os.environ:
        from harnlite.cli.usual_calls import perform

        status = perform(list(arguments))
        if status is not None:
            return status
    return _through_click(list(arguments))


def _take_entry(request: RunRequest, arguments: Sequence[str]) -> int | None:
    """Make the request run the entry of the project; return the exit status if there is none."""
    from harnlite.cli.project_entry import ConfigurationError, project_entry
    from harnlite.resources import working_folder

    try:
        request.file = project_entry(working_folder())
    except ConfigurationError as error:
        sys.stderr.write(f"error: {error}\n")
        return exit_codes.USAGE
    return _through_click(list(arguments)) if request.file is None else None


def _request(arguments: Sequence[str]) -> RunRequest | None:
    if COMPLETION in os.environ:
        return None
    if arguments:
        return read_request(arguments[1:]) if arguments[0] == "run" else None
    return None if sys.stdin.isatty() else read_request([STDIN])


def _through_click(arguments: list[str]) -> int:
    from harnlite.cli.group import group

    try:
        group(arguments or ["repl"], prog_name="harnlite", complete_var=COMPLETION)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else exit_codes.OK
    return exit_codes.OK


def _fault(error: Exception, *, debug: bool) -> int:
    """Report a problem of this machine, or a bug in harnlite."""
    if isinstance(error, MemoryError):
        error.__traceback__ = error.__context__ = None  # they hold the memory
        sys.stderr.write("error: the memory of this machine is used up\n")
        return exit_codes.FAILED
    if debug:
        import traceback

        from harnlite.known_keys import without_keys

        sys.stderr.write(without_keys("".join(traceback.format_exception(error))))
    if isinstance(error, OSError) and error.errno in FULL:
        silence_stdout()
        sys.stderr.write(f"error: cannot write: {error.strerror}\n")
    else:
        from harnlite.runtime.tasks.task_errors import fault_text

        sys.stderr.write(f"{fault_text(error)}; use --debug for details.\n")
    return exit_codes.INTERNAL
