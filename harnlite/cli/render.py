"""`harnlite render`: shows the first request to a model that a program would make."""

from __future__ import annotations

import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.run_request import COLORS, assignment
from harnlite.cli.shared_options import script_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.host.request_preview import PreviewedRequest

_NO_MARK, _MARK = "  ", "> "
_BOLD, _REMINDER, _END = "\x1b[1m", "\x1b[30;43m", "\x1b[0m"


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.argument("argv", nargs=-1, metavar="[-- ARGS]...")
@click.option("--provider", metavar="NAME", help="The provider of the request; default: that of the program.")
@click.option("--model", metavar="ID", help="The model of the request; default: that of the program.")
@click.option("--set", "values", metavar="NAME=VALUE", multiple=True, help="Set a pipeline parameter to a string.")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", help="Output format.")
@click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour.")
@click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors.")
@script_options
def command(
    file: str,
    argv: tuple[str, ...],
    provider: str | None,
    model: str | None,
    values: tuple[str, ...],
    style: str,
    color: str,
    *,
    debug: bool,
    **limits: Any,  # noqa: ANN401 - each option has its own type
) -> None:
    """Show the first request to a model that FILE would make, without sending it.

    FILE runs up to its first model call; what it prints goes to stderr. Lines with reminders are marked. No key is
    needed, and none is shown.
    """
    from harnlite.cli.run_request import RunRequest
    from harnlite.cli.run_script import run_script
    from harnlite.cli.signals import Signals
    from harnlite.host.request_preview import RequestPreview

    request = RunRequest()
    request.file, request.argv, request.color, request.debug = file, list(argv), color, debug
    try:
        request.values = dict(map(assignment, values))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--set") from None
    request.engine = {name: value for name, value in limits.items() if value}
    preview = RequestPreview(provider, model)
    signals = Signals()
    signals.listen()
    status = run_script(request, signals, preview)
    if preview.request is not None:
        sys.stdout.write(_text(preview.request, style, color))
    elif preview.error is not None:
        sys.stderr.write(f"error: {str(preview.error.value).removeprefix('Runtime error: ')}\n")
        status = exit_codes.FAILED
    elif status == exit_codes.OK:
        sys.stderr.write("error: the program ended without a model call\n")
        status = exit_codes.FAILED
    sys.exit(status)


def _text(request: PreviewedRequest, style: str, color: str) -> str:
    from harnlite.cli.terminal import wants_color
    from harnlite.diagnostics.render_json import dumps

    if style == "json":
        return dumps(request.as_dict())
    return _for_people(request, colored=wants_color(color, sys.stdout))


def _for_people(request: PreviewedRequest, *, colored: bool) -> str:
    """Return the request line, the headers and the body; lines with a reminder begin with a mark."""
    import json

    from harnlite.host.request_preview import METHOD

    forms = [json.dumps(text, ensure_ascii=False)[1:-1] for text in request.reminders]
    head = f"{METHOD} {request.url}"
    lines = [_NO_MARK + (f"{_BOLD}{head}{_END}" if colored else head)]
    lines += [f"{_NO_MARK}{name}: {value}" for name, value in request.headers.items()]
    lines.append("")
    for line in json.dumps(request.body, ensure_ascii=False, indent=2).split("\n"):
        found = [form for form in forms if form in line]
        if colored:
            for form in found:
                line = line.replace(form, f"{_REMINDER}{form}{_END}")  # noqa: PLW2901 - one change after the other
        lines.append((_MARK if found else _NO_MARK) + line)
    lines += ["", *(f"{_NO_MARK}note: {note}" for note in request.notes)] if request.notes else []
    return "\n".join(lines) + "\n"
