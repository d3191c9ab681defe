"""Builtins that render templates, from texts and from files."""

from __future__ import annotations

import os

from harnlite.formats.templates.compilation import compile_template
from harnlite.formats.templates.rendering import Rendering
from harnlite.library.native import native
from harnlite.library.template_files import AssetError, file_text, included_path, template_path
from harnlite.library.working_folders import os_text
from harnlite.runtime.access_control import is_inside
from harnlite.template_language.errors import TemplateError
from harnlite.values.display import display
from harnlite.values.errors import thrown, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.templates.compilation import Writer
    from harnlite.formats.templates.evaluation import Names
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.template_language.errors import Place
    from harnlite.values.errors import ScriptError

_MOST_TEMPLATES, _MOST_CHARACTERS, _LONGEST = 256, 4_000_000, 1_000_000
_DEEPEST = 32
_BEFORE, _WIDEST = 40, 100
_FAILURES = (OSError, ValueError)


class _Templates:
    """The state of a run: the compiled templates, the last ones used at the end, and the ids of prompts."""

    __slots__ = ("_compiled", "_size", "marked", "prompts")

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, bool], Writer] = {}
        self._size = self.prompts = self.marked = 0

    def compiled(self, text: str, *, traced: bool) -> Writer:
        """Return the closure of a template; equal texts share it."""
        key = text, traced
        found = self._compiled.pop(key, None)
        if found is None:
            found = compile_template(text, traced=traced)
            if len(text) > _LONGEST:
                return found
            self._size += len(text)
            while len(self._compiled) >= _MOST_TEMPLATES or (self._size > _MOST_CHARACTERS and self._compiled):
                oldest = next(iter(self._compiled))
                del self._compiled[oldest]
                self._size -= len(oldest[0])
        self._compiled[key] = found
        return found


class _FileRendering(Rendering):
    """A rendering whose templates include files. `path` is that of the current one, or None for a text."""

    __slots__ = ("_builtin", "_files", "_folder", "_most_files", "_path", "_root", "_run", "_state", "_traced")

    def __init__(self, run: Execution, builtin: str, path: str | None = None, *, traced: bool = False) -> None:
        super().__init__()
        self._run = run
        self._builtin = builtin
        self._traced = traced
        self._state = run.state("templates", _Templates)
        # A text that includes nothing does not need the folder of its source, which takes longer than a short text.
        self._root = self._folder = "" if path is None else os.path.dirname(path)
        self._path = path
        self._files = () if path is None else (os.path.normpath(path),)
        self._most_files = len(self._files) + _DEEPEST

    def rendered(self, text: str, bindings: object) -> str:
        """Return the text of the outermost template."""
        self._write(text, {**bindings} if isinstance(bindings, dict) else {})
        return self.text()

    def include(self, target: str, names: Names, place: Place) -> None:
        """Render another file at this point of the output."""
        if not self._root:
            self._root = self._folder = self._run.source_dir()
        try:
            path, is_asset = included_path(self._run, self._builtin, target, self._folder, self._root)
        except AssetError as error:
            raise TemplateError(place, str(error)) from None
        if not is_asset and not is_inside(path, [self._root]):
            raise TemplateError(place, f"include path {path} escapes template root {self._root}")
        if path in self._files:
            raise TemplateError(place, f"circular include detected: {' → '.join(self._files)} → {path}")
        if len(self._files) >= self._most_files:
            raise TemplateError(place, f"include depth exceeded ({_DEEPEST} levels)")
        try:
            text = file_text(self._run, self._builtin, path)
        except _FAILURES as error:
            raise TemplateError(place, f"failed to read included template {path}: {os_text(error)}") from None
        outer = self._path, self._folder, self._files
        self._path, self._folder, self._files = path, os.path.dirname(path), (*self._files, path)
        self._write(text, names)
        self._path, self._folder, self._files = outer

    def _write(self, text: str, names: Names) -> None:
        try:
            self._state.compiled(text, traced=self._traced)(names, self.out, self)
        except TemplateError as error:
            raise _thrown(self._path, text, error) from None


def _thrown(path: str | None, text: str, error: TemplateError) -> ScriptError:
    """Return the error of a script for that of a template; the report of an uncaught one shows the line."""
    line, column = error.place
    found = thrown(f"{'' if path is None else f'{path} '}at {line}:{column}: {error.message}")
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    end = text.find("\n", start)
    shown = text[max(start, start + column - 1 - _BEFORE) : len(text) if end < 0 else end].strip()
    shown = shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"
    found.notes = (f"line {line} of the template: {shown}",)
    return found


def _opened(run: Execution, builtin: str, path: object, *, traced: bool = False) -> tuple[str, str, _FileRendering]:
    """Return the path and the text of a template file, and its rendering; throw if it cannot be read."""
    try:
        file = template_path(run, builtin, display(path), run.source_dir())
    except AssetError as error:
        raise thrown(str(error)) from None
    try:
        text = file_text(run, builtin, file)
    except _FAILURES as error:
        raise thrown(f"Failed to read template {file}: {os_text(error)}") from None
    return file, text, _FileRendering(run, builtin, file, traced=traced)


@native("render")
def render(run: Execution, path: object = "", bindings: object = None) -> str:
    """Return the text of a template file."""
    _, text, rendering = _opened(run, "render", path)
    return rendering.rendered(text, bindings)


@native("render_prompt")
def render_prompt(run: Execution, path: object = "", bindings: object = None) -> str:
    """Return the text of a template file."""
    _, text, rendering = _opened(run, "render_prompt", path)
    return rendering.rendered(text, bindings)


@native("render_string")
def render_string(run: Execution, template: object = "", bindings: object = None) -> str:
    """Return the text of a template."""
    return _FileRendering(run, "render_string").rendered(display(template), bindings)


@native("render_with_provenance")
def render_with_provenance(run: Execution, path: object = "", bindings: object = None) -> dict[str, object]:
    """Return the text of a template file, and which part of a template wrote each part of it."""
    file, template, rendering = _opened(run, "render_with_provenance", path, traced=True)
    text = rendering.rendered(template, bindings)
    state = run.state("templates", _Templates)
    state.prompts += 1
    return {
        "prompt_id": f"prompt-{state.prompts}",
        "spans": rendering.spans,
        "template_uri": file,
        "text": text,
    }


@native("prompt_mark_rendered")
def prompt_mark_rendered(run: Execution, prompt_id: object = None) -> int:
    """Return how many prompts this run has marked, with this one."""
    if prompt_id.__class__ is not str:
        raise type_error("prompt_mark_rendered: prompt_id must be a string")
    state = run.state("templates", _Templates)
    state.marked += 1
    return state.marked
