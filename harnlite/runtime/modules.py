"""Programs and modules at run time: loading compiled code, running it, and resolving imports and exports."""

from __future__ import annotations

import os
from types import MethodType

from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Source
from harnlite.regular_files import regular_file
from harnlite.resources import STD, imported_file
from harnlite.runtime.access_control import is_guarded, module_opener, module_place
from harnlite.runtime.linkage import install
from harnlite.runtime.tasks.execution import SOURCE_KEY, STD_TITLE
from harnlite.values.bindings import redeclare
from harnlite.values.data_types import EnumType, Native
from harnlite.values.errors import ScriptError, runtime_error
from harnlite.values.interrupts import BUILTINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, Protocol

    from harnlite.runtime.tasks.execution import Execution

    class Builtins(Protocol):
        """Finds the functions behind builtins."""

        def __call__(self, name: str) -> Callable[..., object]:
            """Return the function of a builtin."""

        def members(self, namespace: str) -> tuple[str, ...]:
            """Return the members of a namespace."""


PI, E = 3.141592653589793, 2.718281828459045
LEXICAL = ("Unexpected character", "Unterminated")
SYNTAX = ("Expected", "Unexpected end of file", "Nesting")
PIPELINE = "p_"
"""The prefix of pipeline variables; function variables do not have it."""
_VARARGS = 4


class Program:
    """A compiled file: its code, and the facts that the loader and the error reports need."""

    __slots__ = ("code", "facts", "source")

    def __init__(self, source: Source, facts: dict[str, Any], code: CodeType) -> None:
        self.source = source
        self.facts = facts
        self.code = code

    @property
    def warnings(self) -> tuple[tuple[Any, ...], ...]:
        """Return the checker's findings for the file: severity, message, start, end, code, help, labels."""
        found: tuple[tuple[Any, ...], ...] = self.facts["warnings"]
        return found

    def entered_at(self, name: str, *, is_pipeline: bool) -> Program:
        """Return the same program with another entry: one of its pipelines or functions, called without arguments."""
        functions = {exported: variable for exported, variable, _is_pub in self.facts["exports"]}
        entry = PIPELINE + name if is_pipeline else functions[name]
        return Program(self.source, {**self.facts, "entry": entry, "params": ()}, self.code)


class Module:
    """A loaded file: its variables at run time, and the names that other files can import."""

    __slots__ = ("exports", "space", "title")

    def __init__(self, title: str, space: dict[str, Any]) -> None:
        self.title = title
        self.space = space
        self.exports: dict[str, tuple[object, bool]] = {}


class Nothing:
    """The value of an exported type that does not exist at run time."""

    __slots__ = ()


class _FirstCall:
    """A builtin of a file that has not been called yet."""

    __slots__ = ("_modules", "_name", "_space", "_variable")

    def __init__(self, modules: Modules, name: str, variable: str, space: dict[str, Any]) -> None:
        self._modules = modules
        self._name = name
        self._variable = variable
        self._space = space

    def call(self, *args: object) -> object:
        """Call the builtin, and put it where this file looks for it."""
        function = self._modules.bound(self._name)
        if getattr(self._space.get(self._variable), "__self__", None) is self:  # not what an import has put there
            self._space[self._variable] = function
        return function(*args)


class Modules:
    """The loaded files of one run; each file is loaded once."""

    __slots__ = ("_compile", "_loaded", "_native", "_run")

    def __init__(
        self,
        run: Execution,
        compile_source: Callable[[Source], Program],
        native: Builtins,
    ) -> None:
        self._run = run
        self._compile = compile_source
        self._native = native
        self._loaded: dict[str, Module] = {}

    def start(self, program: Program, params: dict[str, object]) -> object:
        """Run a program: its imports, its top-level statements, then its entry pipeline."""
        module = self._instantiate(program, program.source.path or program.source.name)
        if program.source.path:
            self._loaded[os.path.abspath(program.source.path)] = module
        return self.enter(module, program, params)

    def enter(self, module: Module, program: Program, params: dict[str, object]) -> object:
        """Run the top level of a loaded file, then its entry."""
        entry = program.facts["entry"]
        if not entry:
            return self._begin(module, program)

        def enter() -> object:
            given = (params,) if entry.startswith(PIPELINE) else ()
            return self._record("pipeline", "main", lambda: module.space[entry](*given))

        if program.facts["defers"]:
            return self._begin(module, program, enter)
        self._begin(module, program)
        return enter()

    def _record(self, kind: str, name: str, work: Callable[[], object]) -> object:
        recorder = self._run.peek("tracing")
        span = recorder and recorder.begin(kind, name, self._run.task)
        try:
            return work()
        finally:
            if span:
                recorder.end(span)

    def exports_of(self, path: str) -> dict[str, Any]:
        """Load a std module, or the file with an absolute path, and return its exports."""
        file = self._file_of(path, None)
        title = f"{STD_TITLE}{path[len(STD) :]}.harn" if path.startswith(STD) else file
        module = self._loaded.get(file) or self._read(file, title)
        return {name: value for name, (value, _is_pub) in module.exports.items()}

    def functions(self, program: Program) -> dict[str, Any]:
        """Run the top level of a program, and return the functions and types that it declares."""
        module = self._instantiate(program, program.source.name)
        self._begin(module, program)
        return {name: value for name, (value, _is_pub) in module.exports.items() if value.__class__ is not Nothing}

    def _begin(self, module: Module, program: Program, enter: Callable[[], object] | None = None) -> object:
        if program.facts["imports"]:
            module.space["_imports"]()
        self._bind_loose(module, program)
        return module.space["_main"](enter)

    def _instantiate(self, program: Program, title: str, space: dict[str, Any] | None = None) -> Module:
        """Execute the code of a file in a new namespace, or in a given namespace that inputs share."""
        run, facts = self._run, program.facts
        source = program.source
        space = {} if space is None else space
        space |= {
            "__builtins__": BUILTINS,
            "_run": run,
            "_poll": run.poll,
            "_poll_entry": run.poll_entry,
            SOURCE_KEY: (source.name, source.path),
        }
        module = Module(title, space)
        space["_import"] = lambda path, names, is_pub: self._import(module, path, names, is_pub=is_pub)
        install(facts["helpers"])
        for name in facts["natives"]:
            variable = "b_" + name.replace(".", "__")
            space[variable] = self._on_first_call(name, variable, space)
        for name in facts["values"]:
            space["n_" + name.replace(".", "__")] = self._value(name)
        exec(program.code, space)  # noqa: S102 - output of our compiler, with our own builtins
        for name, variable, is_pub in facts["exports"]:
            module.exports[name] = (space[variable] if variable in space else Nothing(), is_pub)
        return module

    def _on_first_call(self, name: str, variable: str, space: dict[str, Any]) -> Callable[..., object]:
        """Return what loads a builtin when it is first called; the later calls in this file find the builtin itself."""
        return _FirstCall(self, name, variable, space).call

    def bound(self, name: str) -> Callable[..., object]:
        """Return a builtin as a function of the arguments that a script gives."""
        function = self._native(name)
        code = function.__code__
        return MethodType(function, self._run) if _takes_run(code) else function

    def _value(self, name: str) -> object:
        special = GLOBALS.get(name)
        if special is not None:
            return special(self._run)
        if name in _CALLED:
            return self.bound(_CALLED[name])()
        members = self._native.members(name)
        if members:
            return {"_namespace": name, **{member: self._callable(f"{name}.{member}") for member in members}}
        return self._callable(name)

    def _callable(self, name: str) -> Native:
        code = self._native(name).__code__
        arity = None if code.co_flags & _VARARGS else code.co_argcount - _takes_run(code)
        return Native(name, self.bound(name), arity)

    def _bind_loose(self, module: Module, program: Program) -> None:
        """Bind the names that a whole-module import may have supplied, including names that hide a builtin."""
        space = module.space
        for name in program.facts["loose"]:
            if "i_" + name not in space and "v_" + name in space:
                space["i_" + name] = space["v_" + name]

    # Imports

    def _import(self, importer: Module, path: str, names: tuple[str, ...] | None, *, is_pub: bool) -> None:
        module = self._load(path, importer)
        public = any(exported for _value, exported in module.exports.values())
        if names is None:
            chosen = {name: value for name, (value, exported) in module.exports.items() if exported or not public}
        else:
            chosen = {}
            for name in names:
                value, exported = module.exports.get(name, (None, False))
                if is_pub and (value is None or (public and not exported)):
                    raise runtime_error(f"Re-export error: '{name}' is not exported by '{path}'")
                if value is None:
                    raise runtime_error(f"Import error: '{name}' is not defined in {module.title}")
                chosen[name] = value
        for name, value in chosen.items():
            if is_pub:
                self._export(importer, path, name, value)
            _bind(importer, module, name, value)

    @staticmethod
    def _export(importer: Module, path: str, name: str, value: object) -> None:
        known = importer.exports.get(name)
        if known is not None and known[0] is not value:
            raise runtime_error(f"Re-export collision: '{name}' is defined here and also re-exported from '{path}'")
        importer.exports[name] = (value, True)

    def _load(self, path: str, importer: Module) -> Module:
        file = self._file_of(path, importer.space[SOURCE_KEY][1])
        title = f"{STD_TITLE}{path[len(STD) :]}.harn" if path.startswith(STD) else file
        module = self._loaded.get(file)
        if module is None:
            self._record("import", path, lambda: self._read(file, title))
            module = self._loaded[file]
        return module

    def _file_of(self, path: str, importer: str | None) -> str:
        """Return the file that an import means; a run that may not read files imports only from its own folder.

        Every other import has the same error, so that it tells nothing of the files outside.
        """
        file = imported_file(path, importer, self._run.cwd)
        if file is None:
            raise runtime_error(f"Unknown stdlib module: {path}")
        if not path.startswith(STD) and is_guarded(self._run):
            self._check_readable(file, path)
        return file

    def _check_readable(self, file: str, path: str) -> None:
        """Raise the error if the run may not read a module, which an import names by a path."""
        try:
            module_place(self._run, file)
        except ScriptError as error:
            _, _, needed = str(error.value).partition("not permitted: ")
            reason = f": {needed}" if needed else ""
            raise runtime_error(
                f"Import error: cannot read '{path}' outside the folder of the program{reason}"
            ) from None

    def _read(self, file: str, title: str) -> Module:
        opener = module_opener(self._run) or regular_file
        try:
            with open(file, encoding="utf-8-sig", newline="", opener=opener) as stream:
                text = stream.read()
        except OSError as error:
            raise runtime_error(
                f"Import error: cannot read '{file}': {error.strerror} (os error {error.errno})"
            ) from None
        except ValueError:
            raise runtime_error(f"Import error: cannot read '{file}': stream did not contain valid UTF-8") from None
        try:
            program = self._compile(Source(text, title if title.startswith("<") else _short(file, self._run.cwd), file))
        except ScriptError:
            raise
        except LanguageError as error:
            finding = next(finding for finding in error.diagnostics if finding.is_error)
            first = finding.message
            kind = "lex" if first.startswith(LEXICAL) else "parse" if first.startswith(SYNTAX) else "check"
            failure = runtime_error(f"Import {kind} error: {first}")
            place = f"{finding.source.name}:{finding.source.position(finding.span.start)}"
            failure.notes = (f"the error is in the imported file, at {place}",)
            raise failure from None
        module = self._loaded[file] = self._instantiate(program, title)
        self._begin(module, program)
        return module


def _takes_run(code: CodeType) -> bool:
    return code.co_argcount > 0 and code.co_varnames[0] == "run"


def _short(file: str, cwd: str) -> str:
    """Return a path for display: relative to the working directory if it is inside it."""
    folder = os.path.join(cwd, "")
    return file.removeprefix(folder)


def _collision(name: str, module: Module) -> ScriptError:
    return runtime_error(
        f"Import collision: '{name}' is already defined when importing {module.title}. "
        f'Use selective imports to disambiguate: import {{ {name} }} from "..."',
    )


def _bind(importer: Module, module: Module, name: str, value: object) -> None:
    """Bind an imported name as a variable of the importer; it hides a builtin with the same name."""
    space = importer.space
    variable = "v_" + name
    origins: dict[str, object] = space.setdefault("_origins", {})
    if name in origins and origins[name] is not value:
        raise _collision(name, module)
    origins[name] = value
    if importer.exports.get(name, (value, True))[0] is not value:
        redeclare(name)
    if value.__class__ is Nothing:
        return
    space[variable] = value
    for prefix in ("b_", "n_", "i_"):
        if prefix == "i_" or prefix + name in space:
            space[prefix + name] = value


GLOBALS: dict[str, Callable[[Execution], object]] = {
    "pi": lambda _run: PI,
    "e": lambda _run: E,
    "argv": lambda run: list(run.argv),
    "Result": lambda _run: EnumType("Result", {"Ok": ("value",), "Err": ("error",)}),
}


_CALLED = {"skills": "__host_skills"}
"""Global values that a builtin returns when a file names them."""


def modules_of(run: Execution) -> Modules:
    """Return the files of a run."""
    found = run.context["modules"]
    if not isinstance(found, Modules):
        raise TypeError("a run keeps its files under `modules`")
    return found
