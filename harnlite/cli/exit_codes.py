"""The exit statuses of the commands."""

from __future__ import annotations

OK = 0
UNCAUGHT = 1
FINDINGS = 1
FAILED = 1
USAGE = 2
INTERNAL = 2
NOT_COMPILED = 3
NO_TESTS = 5
INTERRUPTED = 130
TERMINATED = 143
