"""The functions of `import harnlite`: those of an engine of default configuration."""

from __future__ import annotations

from harnlite.host.engine import Engine

_ENGINE = Engine()

parse = _ENGINE.parse
check = _ENGINE.check
run = _ENGINE.run
