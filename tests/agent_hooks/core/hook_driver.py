"""Starts a hook as an agent does, also in a checkout without the formats of agents."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def provide_formats():
    """Make the small format of the tests available if the formats of agents are missing."""
    if os.path.exists(os.path.join(ROOT, "harnlite", "agent_hooks", "formats", "table.py")):
        return
    from types import ModuleType

    from tests.agent_hooks.core.claude_format import FORMAT

    table, callers = ModuleType("table"), ModuleType("callers")
    table.format_of = {"claude-code": FORMAT}.get
    callers.caller_of = lambda *given: given[-1]
    sys.modules["harnlite.agent_hooks.formats.table"] = table
    sys.modules["harnlite.agent_hooks.formats.callers"] = callers


path = os.path.join(ROOT, "harnlite", "agent_hooks", "start.py")
space = {"__name__": "start", "__file__": path}
with open(path, encoding="utf-8") as file:
    exec(compile(file.read(), path, "exec"), space)
sys.path[:0] = [*space["_package_folders"](), ROOT]
provide_formats()
for place in sys.argv.pop(1).split(","):
    if place:
        module, _, rest = place.partition(":")
        target = __import__(module, fromlist=("x",))
        exec(rest, vars(target))
space["main"]()
