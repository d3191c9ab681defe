"""The usual calls of a few commands, which need no option parser."""

from __future__ import annotations

import gc
import sys

from harnlite.cli import exit_codes
from harnlite.version import VERSION

VERSION_LINE = f"harnlite {VERSION}\n"
USUAL_REPL: tuple[list[str], ...] = [], ["repl"]
USUAL_LSP = ["lsp"], ["lsp", "--stdio"]


def perform(arguments: list[str]) -> int | None:
    """Perform a usual call without click; return None if click must read the arguments or report an error."""
    if arguments == ["--version"]:
        sys.stdout.write(VERSION_LINE)
        return exit_codes.OK
    if arguments[:1] == ["lint"]:
        from harnlite.cli.linting import quick_lint

        return quick_lint(arguments[1:])
    if arguments in USUAL_LSP:
        gc.disable()  # the server collects garbage while it is idle
        from harnlite.editor.lean_types import load_lean_types

        load_lean_types()
        from harnlite.editor.server import serve

        return exit_codes.OK if serve() else exit_codes.FINDINGS
    if arguments in USUAL_REPL:
        from harnlite.cli.session import UnusableOptions, run_session

        try:
            return run_session(None, "auto", vi=False, debug=False)
        except UnusableOptions:
            return None
    return None
