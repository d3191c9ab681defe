"""`harnlite lsp`: the language server."""

from __future__ import annotations

import sys

import click

from harnlite.cli import exit_codes


@click.command()
@click.option("--stdio", is_flag=True, help="Speak over standard input and output; there is no other way.")
@click.option("--debug", is_flag=True, help="Write what goes on, and Python tracebacks, to standard error.")
def command(*, stdio: bool, debug: bool) -> None:  # noqa: ARG001 - editors give --stdio
    """Answer an editor: findings, completion, hover, navigation, renaming, formatting.

    Editors start this; it speaks the Language Server Protocol over standard input and output.
    """
    from harnlite.editor.server import serve

    sys.exit(exit_codes.OK if serve(debug=debug) else exit_codes.FINDINGS)
