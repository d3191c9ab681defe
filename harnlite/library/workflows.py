"""Builtins for workflow graphs and their execution."""

from __future__ import annotations

from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.agent.workers.workflow_graphs import graph_of
from harnlite.agent.workers.workflows import execute
from harnlite.library.argument_types import dict_argument, expect_dict, optional_list
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution


@native("workflow_graph")
def workflow_graph(run: Execution, spec: object = None) -> dict[str, Any]:
    """Return the graph of a workflow in its normalized form."""
    return graph_of(run, expect_dict("workflow_graph", "spec", spec))


@native("workflow_execute")
def workflow_execute(
    run: Execution, task: object = None, graph: object = None, artifacts: object = None, options: object = None
) -> dict[str, Any]:
    """Execute a workflow on a task and return its result."""
    function = "workflow_execute"
    require(run, "llm.call", function)
    spec = expect_dict(function, "graph", graph)
    listed = optional_list(function, "artifacts", artifacts)
    given = dict_argument(function, "options", options)
    return execute(run, display(task), spec, listed or [], given, LOOP_SUPPORT)
