"""`harnlite timeline`: shows the reminders in a stored event log."""

from __future__ import annotations

import os
import sys

import click

from harnlite.cli.report_files import write_report
from harnlite.cli.run_request import COLORS


@click.command()
@click.argument("events", type=click.Path())
@click.option("--html", metavar="FILE", help="Write an HTML page instead; '-' means standard output.")
@click.option("--session", metavar="ID", help="Show only this session.")
@click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour in the table.")
@click.option("--debug", is_flag=True, help="Show Python tracebacks for internal errors.")
def command(events: str, html: str | None, session: str | None, color: str, debug: bool) -> None:  # noqa: ARG001, FBT001 - the entry point reads it
    """Show a timeline of the reminders in the event log EVENTS.

    EVENTS is a file written by `run --events` or `run --store`.
    """
    from harnlite.cli.terminal import wants_color, width_of
    from harnlite.store.stored_log import read_log
    from harnlite.store.timeline import Timeline

    try:
        log = read_log(events)
    except OSError as error:
        raise click.UsageError(f"cannot read {events!r}: {error.strerror}") from None
    if log.skipped:
        records_word = "record" if log.skipped == 1 else "records"
        sys.stderr.write(f"{events}: skipped {log.skipped} {records_word} that cannot be read\n")
    records = log.records
    if session is not None:
        records = [record for record in records if _session_of(record) == session]
    timeline = Timeline(records)
    if html is None:
        from harnlite.store.timeline_text import text_of

        sys.stdout.write(text_of(timeline, color=wants_color(color, sys.stdout), width=width_of(sys.stdout)))
        return
    from harnlite.store.timeline_html import page

    _write(html, page(timeline, f"Reminders in {os.path.basename(events)}"))


def _session_of(record: dict[str, object]) -> object:
    payload = record["payload"]
    return payload.get("session_id") if isinstance(payload, dict) else None


def _write(path: str, text: str) -> None:
    if path == "-":
        sys.stdout.write(text)
        return
    write_report(path, text)
