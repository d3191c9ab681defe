"""The builtins behind std/llm/tool_middleware: receipts, receipt files and guarded calls."""

from __future__ import annotations

import os

from harnlite.agent.option_values import names_in
from harnlite.agent.tools.receipts import FOLDER, file_name, receipt_of
from harnlite.agent.tools.rule_matching import fitting_pattern
from harnlite.library.argument_types import expect_closure, expect_dict
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.library.store import script_base
from harnlite.library.working_folders import os_text, state_root
from harnlite.runtime.access_control import place_of
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.store.json_lines import JsonLines
from harnlite.store.redaction import redactor_of
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


@native("__host_receipt")
def host_receipt(
    run: Execution, call: object = None, result: object = None, redact: object = None, duration_ms: object = 0
) -> dict[str, object]:
    """Return the receipt of a tool call."""
    called, ended = expect_dict("receipt", "call", call), expect_dict("receipt", "result", result)
    duration = duration_ms if isinstance(duration_ms, int) else 0
    receipt = receipt_of(run, called, ended, frozenset(names_in(redact)), duration)
    return {key: redactor_of(run).within(value) for key, value in receipt.items()}


@native("__host_append_receipt")
def host_append_receipt(run: Execution, session_id: object = None, receipt: object = None) -> str:
    """Append a receipt to the file of its session and return the path of the file."""
    require(run, "state.write", "append_receipt")
    path = os.path.abspath(os.path.join(state_root(script_base(run)), FOLDER, file_name(session_id)))
    lines = JsonLines(place_of(run, "state.write", "append_receipt", path))
    try:
        lines.append(receipt)
    except OSError as error:
        raise runtime_error(f"receipts: cannot write '{path}': {os_text(error)}") from None
    finally:
        lines.close()
    return path


@native("__host_attempt")
def host_attempt(closure: object = None) -> dict[str, object]:
    """Call a closure and return a dict with its value, or with the text that its error would print if uncaught."""
    attempted = expect_closure("attempt", "closure", closure)
    try:
        return {"value": attempted()}
    except CATCHABLE as error:
        failure = script_error(error)
        if failure is None:
            raise
        return {"error": uncaught_text(failure)}


@native("__host_fits_any")
def host_fits_any(patterns: object = None, name: object = None) -> bool:
    """Return whether a name matches one of several globs."""
    return fitting_pattern(patterns, display(name)) is not None
