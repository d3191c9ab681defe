"""A run without a scheduler: the services of builtins that access the outside world, controlled by the test."""

from __future__ import annotations

import importlib
import io
import types

import pytest

from harnlite.values.errors import ScriptError
from harnlite.values.limits import DEFAULTS

MODULES = (
    "assertions categories clock datetime environment files logging output paths",
    "process resilience stdin store terminal tracing",
)


class FakeClock:
    def __init__(self) -> None:
        self.wall = 1_774_794_600.1239
        self.steady = 50.0

    def now(self):
        return self.wall

    def monotonic(self):
        return self.steady

    def advance(self, seconds):
        self.wall += seconds
        self.steady += seconds


class FakeIds:
    def __init__(self) -> None:
        self.count = 0

    def hex(self, n_bytes):
        self.count += 1
        return f"{self.count:0{2 * n_bytes}x}"


class FakeRun:
    def __init__(self, folder) -> None:
        self.clock = FakeClock()
        self.ids = FakeIds()
        self.cwd = str(folder)
        self.folder = str(folder)
        self.stdin = io.StringIO()
        self.out = ""
        self.err = ""
        self.slept = []
        self.context = {}
        self.limits = DEFAULTS
        self.task = types.SimpleNamespace(facts={})
        self.endings = []
        self._states = {}
        self._natives = {}
        for name in " ".join(MODULES).split():
            for value in vars(importlib.import_module(f"harnlite.library.{name}")).values():
                if hasattr(value, "harn_native"):
                    self._natives[value.harn_native] = value

    def write(self, text):
        self.out += text

    def write_error(self, text):
        self.err += text

    def flush(self):
        pass

    def poll(self):
        pass

    def state(self, key, make):
        if key not in self._states:
            self._states[key] = make()
        return self._states[key]

    def peek(self, key):
        return self._states.get(key)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.clock.advance(seconds)

    def block(self, work, *args):
        return work(*args)

    def source_dir(self):
        return self.folder

    def call(self, name, *args):
        """Call a builtin as a script would."""
        function = self._natives[name]
        code = function.__code__
        return function(self, *args) if code.co_varnames[:1] == ("run",) else function(*args)

    def error(self, name, *args):
        """Call a builtin that fails and return what a catch sees."""
        with pytest.raises(ScriptError) as caught:
            self.call(name, *args)
        return caught.value.value

    def printed(self, name, *args):
        """Call a builtin and return what it wrote to stdout."""
        self.out = ""
        self.call(name, *args)
        return self.out


@pytest.fixture
def run(tmp_path, monkeypatch):
    for name in ("FORCE_COLOR", "NO_COLOR", "HARN_STATE_DIR", "HARNLITE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    made = FakeRun(tmp_path)
    yield made
    for end in made.endings:
        end()
