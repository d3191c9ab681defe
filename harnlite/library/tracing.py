"""Builtins for traces that a script opens and closes, and for the spans that a run records automatically."""

from __future__ import annotations

from harnlite.library.logging import log_of, write_entry
from harnlite.library.native import native
from harnlite.runtime.tasks.execution import SPANS_KEY
from harnlite.runtime.trace_spans import Span, SpanRecorder
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_ID_BYTES = 4


def _recorder(run: Execution) -> SpanRecorder:
    return run.state(SPANS_KEY, lambda: SpanRecorder(run.clock.now))


def _now_ms(run: Execution) -> int:
    return int(run.clock.now() * 1000)


@native("trace_start")
def trace_start(run: Execution, name: object = "") -> dict[str, object]:
    """Open a trace, nested in the open one if there is one, and return its span."""
    traces = log_of(run).traces
    trace_id = traces[-1][0] if traces else run.ids.hex(_ID_BYTES)
    span_id = run.ids.hex(_ID_BYTES)
    traces.append((trace_id, span_id))
    return {"name": display(name), "span_id": span_id, "start_ms": _now_ms(run), "trace_id": trace_id}


@native("trace_end")
def trace_end(run: Execution, span: object = None) -> None:
    """Close a trace and log its duration."""
    start = span.get("start_ms") if isinstance(span, dict) else None
    if not isinstance(span, dict) or type(start) is not int:
        raise thrown("trace_end: argument must be a span dict from trace_start")
    ids = (span.get("trace_id"), span.get("span_id"))
    traces = log_of(run).traces
    if traces and traces[-1] == ids:
        traces.pop()
    fields = {"name": span.get("name"), "span_id": ids[1], "trace_id": ids[0]}
    write_entry(run, "info", "span_end", {"duration_ms": max(_now_ms(run) - start, 0), **fields})


@native("trace_id")
def trace_id(run: Execution) -> str | None:
    """Return the id of the open trace, or nil."""
    traces = log_of(run).traces
    return traces[-1][0] if traces else None


@native("enable_tracing")
def enable_tracing(run: Execution, on: object = True) -> None:  # noqa: FBT002 - positional in the language
    """Enable or disable the recording of spans, and discard the recorded ones."""
    recorder = _recorder(run)
    recorder.reset()
    recorder.on = on is not False


def _span_dict(span: Span) -> dict[str, object]:
    entry: dict[str, object] = {
        "duration_ms": span.duration_ms,
        "kind": span.kind,
        "name": span.name,
        "parent_id": span.parent_id,
        "span_id": span.span_id,
        "start_ms": span.start_ms,
    }
    if span.metadata:
        entry["metadata"] = dict(span.metadata)
    return entry


@native("trace_spans")
def trace_spans(run: Execution) -> list[object]:
    """Return the completed spans in the order in which they ended."""
    return [_span_dict(span) for span in _recorder(run).completed]


def _span_line(span: Span, depth: int) -> str:
    notes = ", ".join(f"{key}={display(span.metadata[key])}" for key in sorted(span.metadata))
    return f"{'  ' * depth}{span.kind} {span.name} {span.duration_ms}ms{f' ({notes})' if notes else ''}"


@native("trace_summary")
def trace_summary(run: Execution) -> str:
    """Return the completed spans as a tree with their durations."""
    spans = sorted(_recorder(run).completed, key=lambda span: span.span_id)
    if not spans:
        return "No spans recorded."
    known = {span.span_id for span in spans}
    roots = [span for span in spans if span.parent_id not in known]
    inner: dict[int | None, list[Span]] = {}
    for span in spans:
        inner.setdefault(span.parent_id, []).append(span)
    lines = [f"Trace: {len(spans)} spans, {sum(root.duration_ms for root in roots)}ms total", ""]
    pending = [(root, 0) for root in reversed(roots)]
    while pending:
        span, depth = pending.pop()
        lines.append(_span_line(span, depth))
        pending += [(child, depth + 1) for child in reversed(inner.get(span.span_id, ()))]
    return "\n".join(lines)
