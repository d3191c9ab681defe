"""`harnlite lsp`: the language server."""

from __future__ import annotations

import sys

import click

from harnlite.cli import exit_codes


@click.command()
@click.option("--stdio", is_flag=True, help="Communicate over standard input and output, which is the only transport.")
@click.option("--debug", is_flag=True, help="Write a log and Python tracebacks to standard error.")
def command(*, stdio: bool, debug: bool) -> None:  # noqa: ARG001 - editors give --stdio
    """Run the language server.

    Editors start this command. It provides findings, completion, hover, navigation, renaming and formatting, and uses
    the Language Server Protocol over standard input and output.
    """
    if not debug:
        from harnlite.editor.lean_types import load_lean_types

        load_lean_types()
    from harnlite.editor.server import serve

    sys.exit(exit_codes.OK if serve(debug=debug) else exit_codes.FINDINGS)
