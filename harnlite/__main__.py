"""The entry point of `python -m harnlite`."""

from harnlite.cli.entry import main

main()
