"""The engine: a configuration that an embedding program creates once and then runs scripts with."""

from __future__ import annotations

import os

from harnlite.capabilities.limit_table import IN_SANDBOX, MEMORY
from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.execution import FRAMES, GRACE_SECONDS, Execution
from harnlite.values.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import NoReturn, TextIO, TypeAlias

    from harnlite.capabilities.grants import Permissions
    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.host.embedded_runs import RunResult
    from harnlite.host.programs import Program
    from harnlite.runtime.tasks.ids import Ids
    from harnlite.syntax.nodes import Module

    File: TypeAlias = str | os.PathLike[str]

INPUT = "<input>"
BUILT_IN_KEY = "built_in_backends"
"""The key under which `llm.backend` finds the built-in backends; importing it here would load it for every run."""


class Engine:
    """A frozen configuration for independent runs. Engines share no state.

    A program is given as its text or as the path of its file: an `os.PathLike` such as `pathlib.Path`, or a string of
    one line that ends in `.harn`, which a program never does.
    """

    __slots__ = (
        "allow",
        "cache",
        "capabilities",
        "clock",
        "cwd",
        "deadline",
        "deny",
        "events",
        "grace",
        "ids",
        "limits",
        "llm_mock",
        "max_depth",
        "max_memory",
        "max_output",
        "permissions",
        "record",
        "replay",
        "sandbox",
        "seed",
        "skill_dirs",
        "store",
    )

    def __init__(  # noqa: PLR0913 - each is a keyword with a default
        self,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        seed: int | None = None,
        deadline: float | None = None,
        grace: float = GRACE_SECONDS,
        max_output: int | None = None,
        max_depth: int | None = FRAMES,
        max_memory: int | str | None = None,
        limits: Mapping[str, int] | None = None,
        capabilities: Collection[str] | None = None,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        sandbox: bool = False,
        cwd: File | None = None,
        cache: bool = True,
        events: File | None = None,
        store: File | None = None,
        llm_mock: File | None = None,
        record: File | None = None,
        replay: File | None = None,
        skill_dirs: Sequence[File] = (),
    ) -> None:
        if record is not None and replay is not None:
            raise ValueError("a run is either recorded or replayed: give --record or --replay")
        cwd = _path(cwd)
        for name, value in (
            ("clock", clock),
            ("ids", ids),
            ("seed", seed),
            ("deadline", deadline),
            ("grace", grace),
            ("max_output", max_output),
            ("max_depth", max_depth),
            ("max_memory", max_memory),
            ("limits", limits_of(limits, max_memory, sandbox=sandbox)),
            ("capabilities", None if capabilities is None else frozenset(capabilities)),
            ("allow", tuple(allow)),
            ("deny", tuple(deny)),
            ("sandbox", sandbox),
            ("permissions", permissions_of(capabilities, allow, deny, cwd, sandbox=sandbox)),
            ("cwd", cwd),
            ("cache", cache),
            ("events", _path(events)),
            ("store", _path(store)),
            ("llm_mock", _path(llm_mock)),
            ("record", _path(record)),
            ("replay", _path(replay)),
            ("skill_dirs", tuple(os.fspath(folder) for folder in skill_dirs)),
        ):
            object.__setattr__(self, name, value)

    clock: Clock | None
    ids: Ids | None
    seed: int | None
    deadline: float | None
    grace: float
    max_output: int | None
    max_depth: int | None
    max_memory: int | str | None
    limits: Limits | None
    capabilities: frozenset[str] | None
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    sandbox: bool
    permissions: Permissions | None
    cwd: str | None
    cache: bool
    events: str | None
    store: str | None
    llm_mock: str | None
    record: str | None
    replay: str | None
    skill_dirs: tuple[str, ...]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an Engine is frozen: {name} cannot be set; create another Engine")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an Engine is frozen: {name} cannot be deleted")

    def in_folder(self, cwd: str) -> Engine:
        """Return an engine for another working folder; the paths of files that this engine names do not change."""
        other = object.__new__(Engine)
        for name in self.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        base = self.cwd or os.getcwd()
        for name in ("events", "store", "llm_mock", "record", "replay"):
            path = getattr(self, name)
            if path is not None and not path.startswith(":"):
                object.__setattr__(other, name, os.path.join(base, path))
        folders = tuple(os.path.join(base, folder) for folder in self.skill_dirs)
        permissions = permissions_of(self.capabilities, self.allow, self.deny, cwd, sandbox=self.sandbox)
        for name, value in (("cwd", cwd), ("skill_dirs", folders), ("permissions", permissions)):
            object.__setattr__(other, name, value)
        return other

    def parse(self, program: Program, *, name: str = INPUT) -> Module:
        """Return the syntax tree of a program; raise LanguageError if it has syntax errors."""
        from harnlite.host.programs import parse

        return parse(program, name)

    def check(self, program: Program, *, name: str = INPUT) -> list[Diagnostic]:
        """Return the errors and warnings in a program without running it."""
        from harnlite.host.programs import check

        return check(program, name)

    def run(
        self,
        program: Program,
        *,
        params: Mapping[str, object] | None = None,
        argv: Sequence[str] = (),
        stdin: str = "",
        capture: bool = True,
        name: str = INPUT,
    ) -> RunResult:
        """Run a program and return its value, its output and its outcome.

        `params` are the values of pipeline parameters. Without `capture` the script writes to the real streams.
        """
        from harnlite.host.embedded_runs import run_to_result

        return run_to_result(self, program, name, params=params or {}, argv=argv, stdin=stdin, capture=capture)

    def execution(
        self,
        *,
        argv: Sequence[str] = (),
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> Execution:
        """Return a new execution with this configuration."""
        random = None
        if self.seed is not None:
            from random import Random

            random = Random(self.seed)  # noqa: S311 - random numbers of scripts, not secrets
        clock, ids = self.clock, self.ids
        if clock is not None or ids is not None:
            from harnlite.host.guarded_sources import GuardedClock, GuardedIds

            clock = GuardedClock(clock or Clock())
            ids = GuardedIds(ids, clock) if ids is not None else None
        return Execution(
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            argv=argv,
            cwd=self.cwd,
            clock=clock,
            random=random,
            ids=ids,
            context=self._context(),
        )

    def _context(self) -> dict[str, object]:
        """Return the settings that a run can look up, without those that are not set."""
        known = {
            "permissions": self.permissions,
            "limits": self.limits,
            "sandbox": self.sandbox or None,
            "events_path": self.events,
            "store_path": self.store,
            "llm_mock_path": self.llm_mock,
            BUILT_IN_KEY: _vendor_backend,
            "record_path": self.record,
            "replay_path": self.replay,
            "recording": _recording(self.record, self.replay),
            "skill_dirs": self.skill_dirs or None,
        }
        return {key: value for key, value in known.items() if value is not None}


def _path(file: File | None) -> str | None:
    return None if file is None else os.fspath(file)


def _vendor_backend(run: Execution, name: str) -> object:
    """Return the built-in backend of a provider, or None; its modules are loaded by the first call that needs one."""
    from harnlite.llm.vendors.backends import vendor_backend

    return vendor_backend(run, name)


def _recording(record: str | None, replay: str | None) -> object:
    """Return the function that makes the recording of a run, or None."""
    if record is None and replay is None:
        return None
    from harnlite.store.recordings import recording_of

    return recording_of


def limits_of(limits: Mapping[str, int] | None, max_memory: int | str | None, *, sandbox: bool) -> Limits | None:
    """Return the limits of an engine, or None if all have their defaults; raise ValueError for a mistake."""
    given: dict[str, object] = dict(limits or {})
    if max_memory is not None:
        given[MEMORY] = max_memory
    if sandbox:
        given = {**IN_SANDBOX, **given}
    return Limits(given) if given else None


def permissions_of(
    capabilities: Collection[str] | None, allow: Sequence[str], deny: Sequence[str], cwd: str | None, *, sandbox: bool
) -> Permissions | None:
    """Return the permissions of an engine, or None if nothing is restricted; raise ValueError for a mistake."""
    if capabilities is None and not allow and not deny and not sandbox:
        return None
    from harnlite.capabilities.grants import Permissions, grants_of

    base = cwd or os.getcwd()
    found = [grants_of("", base, allow=allow, deny=deny, sandbox=sandbox)]
    if capabilities is not None:
        found.append(grants_of("", base, allow=capabilities, sandbox=True))
    return Permissions(found)
