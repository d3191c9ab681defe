"""The measurement of which parts of compiled programs run, based on the source positions in their code."""

from __future__ import annotations

import dis
import sys
from typing import TYPE_CHECKING

from harnlite.runtime.tasks.execution import SOURCE_KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType
    from typing import Any, TypeAlias, TypeVar

    from harnlite.host.script_traceback import Position

    T = TypeVar("T")
    # the position of a decision, the position where the run continued, and whether the function returned there
    Arc: TypeAlias = tuple[Position, Position, bool]

_BYTES_PER_INSTRUCTION = 2
_TOOLS = (1, 3, 4, 5)
"""The tool ids to try in sys.monitoring, because other tools may already use some of them."""
_PASSED_OVER = frozenset(
    {"NOP", "EXTENDED_ARG", "CACHE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}
)
_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})


class Seen:
    """Positions in one file, and arcs from a decision to the position that came next."""

    __slots__ = ("arcs", "places")

    def __init__(self) -> None:
        self.places: set[Position] = set()
        self.arcs: set[Arc] = set()

    def add(self, other: Seen) -> None:
        """Add the positions and arcs of `other`."""
        self.places |= other.places
        self.arcs |= other.arcs


class _Map:
    """The positions of the instructions of a code object, and the targets of its jumps."""

    __slots__ = ("_steps", "branches", "positions")

    def __init__(self, code: CodeType) -> None:
        self.positions: list[Position] = list(code.co_positions())
        self._steps = {step.offset: step for step in dis.get_instructions(code)}
        self.branches = {offset for offset, step in self._steps.items() if _decides(step.opname)}

    def position(self, offset: int) -> Position:
        """Return the source position of an instruction."""
        return self.positions[offset // _BYTES_PER_INSTRUCTION]

    def arc(self, offset: int, target: int) -> Arc:
        """Return the arc from a decision to a target, skipping instructions that only jump further."""
        step, passed = self._steps[target], set[int]()
        while step.opname in _PASSED_OVER and step.offset not in passed:
            passed.add(step.offset)
            further = step.argval if "JUMP" in step.opname else self._after(step.offset)
            step = self._steps[further]
        returns = step.opname in _RETURNS
        if step.opname == "LOAD_CONST":
            returns = self._steps[self._after(step.offset)].opname in _RETURNS
        return self.position(offset), self.position(step.offset), returns

    def possible(self) -> Iterator[Arc]:
        """Yield all arcs from all decisions."""
        for offset in self.branches:
            yield self.arc(offset, self._after(offset))
            yield self.arc(offset, self._steps[offset].argval)

    def _after(self, offset: int) -> int:
        following = offset + _BYTES_PER_INSTRUCTION
        while following not in self._steps:
            following += _BYTES_PER_INSTRUCTION
        return following


def _decides(name: str) -> bool:
    return "JUMP" in name and "_IF_" in name


def possible(code: CodeType) -> Seen:
    """Return all positions and arcs of a compiled file that could run."""
    found = Seen()
    pending = [code]
    while pending:
        one = pending.pop()
        pending.extend(inner for inner in one.co_consts if isinstance(inner, type(code)))
        known = _Map(one)
        found.places.update(known.positions)
        found.arcs.update(known.possible())
    return found


class Evidence:
    """The positions and arcs that ran so far, by the path of the file."""

    __slots__ = ("files",)

    def __init__(self) -> None:
        self.files: dict[str, Seen] = {}

    def merge(self, other: Evidence) -> None:
        """Add the evidence that was collected elsewhere."""
        for path, seen in other.files.items():
            self.files.setdefault(path, Seen()).add(seen)

    def of(self, work: Callable[[], T]) -> T:
        """Run some work and record the programs that it runs in this thread."""
        watcher: _Monitor | _Tracer = _Monitor() if sys.version_info >= (3, 12) else _Tracer()
        watcher.begin()
        try:
            return work()
        finally:
            watcher.end()
            for ran in watcher.ran():
                self.files.setdefault(ran.path, Seen()).add(ran.seen())


class _Ran:
    """The instructions and branches of one code object that ran."""

    __slots__ = ("arcs", "code", "known", "offsets", "path")

    def __init__(self, code: CodeType, path: str) -> None:
        self.code = code  # kept alive, because code objects are identified by their id
        self.path = path
        self.known = _Map(code)
        self.offsets: set[int] = set()
        self.arcs: set[tuple[int, int]] = set()

    def seen(self) -> Seen:
        found = Seen()
        found.places.update(map(self.known.position, self.offsets))
        found.arcs.update(self.known.arc(*arc) for arc in self.arcs)
        return found


class _Watcher:
    """A recorder of the code objects that run, if they come from a file."""

    __slots__ = ("_by_code",)

    def __init__(self) -> None:
        self._by_code: dict[int, _Ran] = {}

    def ran(self) -> list[_Ran]:
        return list(self._by_code.values())

    def record(self, frame: FrameType) -> _Ran | None:
        """Return the record for the code of a frame, or None if the code is not from a file of the user."""
        origin = frame.f_globals.get(SOURCE_KEY)
        if origin is None or origin[1] is None or origin[0].startswith("<"):
            return None
        code = frame.f_code
        known = self._by_code.get(id(code))
        if known is None:
            known = self._by_code[id(code)] = _Ran(code, origin[1])
        return known


class _Tracer(_Watcher):
    """A watcher that uses sys.settrace to trace each instruction."""

    __slots__ = ()

    def begin(self) -> None:
        sys.settrace(self._called)

    def end(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, _event: str, _argument: object) -> Callable[..., Any] | None:
        known = self.record(frame)
        if known is None:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        offsets, arcs, branches = known.offsets, known.arcs, known.known.branches
        before = -1

        def stepped(frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
            nonlocal before
            if event == "opcode":
                here = frame.f_lasti
                offsets.add(here)
                if before in branches:
                    arcs.add((before, here))
                before = here
            return stepped

        return stepped


class _Monitor(_Watcher):
    """A watcher that uses sys.monitoring to observe an instruction once, and a decision until it went both ways."""

    __slots__ = ("_monitoring", "_tool")

    def begin(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]  # not in Python 3.11, which mypy assumes
        self._monitoring = monitoring
        self._tool = next(tool for tool in _TOOLS if monitoring.get_tool(tool) is None)
        monitoring.use_tool_id(self._tool, "harnlite")
        events = monitoring.events
        monitoring.register_callback(self._tool, events.PY_START, self._started)
        monitoring.register_callback(self._tool, events.INSTRUCTION, self._stepped)
        monitoring.register_callback(self._tool, events.BRANCH, self._branched)
        monitoring.restart_events()
        monitoring.set_events(self._tool, events.PY_START)

    def end(self) -> None:
        monitoring, events = self._monitoring, self._monitoring.events
        monitoring.set_events(self._tool, 0)
        for ran in self.ran():
            monitoring.set_local_events(self._tool, ran.code, 0)
        for event in (events.PY_START, events.INSTRUCTION, events.BRANCH):
            monitoring.register_callback(self._tool, event, None)
        monitoring.free_tool_id(self._tool)

    def _started(self, code: CodeType, _offset: int) -> object:
        if self.record(sys._getframe(1)) is not None:  # noqa: SLF001 - the only way to find the module of the code
            events = self._monitoring.events
            self._monitoring.set_local_events(self._tool, code, events.INSTRUCTION | events.BRANCH)
        return self._monitoring.DISABLE

    def _stepped(self, code: CodeType, offset: int) -> object:
        self._by_code[id(code)].offsets.add(offset)
        return self._monitoring.DISABLE

    def _branched(self, code: CodeType, offset: int, target: int) -> object:
        known = self._by_code[id(code)]
        if offset not in known.known.branches:
            return self._monitoring.DISABLE
        known.arcs.add((offset, target))
        both = sum(source == offset for source, _ in known.arcs) > 1
        return self._monitoring.DISABLE if both else None
