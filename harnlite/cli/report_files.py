"""The files that reports are written to, where the user asks for one."""

from __future__ import annotations

import os

import click


def write_report(path: str, text: str, *, makes_folder: bool = False) -> None:
    """Write a report to a file, which may be a device or a pipe. Raise a usage error if that fails."""
    try:
        if makes_folder:
            os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise click.UsageError(f"cannot write {path!r}: {error.strerror}") from None
