r"""Builtins for paths as text: first in host style, then in POSIX style, which also accepts `\\` and drive letters."""

from __future__ import annotations

import posixpath
import stat

from harnlite.library.native import MISSING, native
from harnlite.library.working_folders import resolve
from harnlite.runtime.access_control import kind_at, readable_place
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.file_places import FilePlace
    from harnlite.runtime.tasks.execution import Execution


# Host-style


def _trimmed(path: str) -> str:
    """Return a path without trailing slashes and `.` segments."""
    while path.endswith(("/", "/.")):
        shorter = path.removesuffix(".").rstrip("/")
        if not shorter:
            return "/"
        path = shorter
    return path


def _file_name(path: str) -> str:
    name = _trimmed(path).rpartition("/")[2]
    return "" if name in {".", ".."} else name


@native("path_join")
def path_join(*parts: object) -> str:
    """Return the parts joined with slashes; an absolute part replaces all parts before it."""
    return posixpath.join("", *map(display, parts))


@native("dirname")
def dirname(path: object = "") -> str:
    """Return all but the last part of a path."""
    head, slash, _ = _trimmed(display(path)).rpartition("/")
    if not head:
        return "/" if slash and _trimmed(display(path)) != "/" else ""
    return _trimmed(head)


@native("basename")
def basename(path: object = "") -> str:
    """Return the last part of a path."""
    return _file_name(display(path))


@native("extname")
def extname(path: object = "") -> str:
    """Return the extension of a path with its dot."""
    return _split_extension(_file_name(display(path)))[1]


def _split_extension(name: str) -> tuple[str, str]:
    stem, dot, extension = name.rpartition(".")
    return (stem, dot + extension) if stem and name != ".." else (name, "")


# POSIX-style


class _Path:
    """The drive, root and segments of a path."""

    __slots__ = ("absolute", "drive", "segments")

    def __init__(self, text: str) -> None:
        text = text.replace("\\", "/")
        has_drive = text[1:2] == ":" and text[0].isascii() and text[0].isalpha()
        self.drive = text[:2] if has_drive else ""
        rest = text[len(self.drive) :]
        self.absolute = rest.startswith("/")
        self.segments = [segment for segment in rest.split("/") if segment]

    def with_segments(self, segments: list[str]) -> str:
        """Return the text of the path with other segments and without doubled slashes."""
        return f"{self.drive}{'/' if self.absolute else ''}{'/'.join(segments)}"

    @property
    def parent(self) -> str:
        """The text of the parent folder."""
        return self.with_segments(self.segments[:-1])

    @property
    def file(self) -> str:
        """The last segment."""
        return self.segments[-1] if self.segments else ""

    def renamed(self, file: str) -> str:
        """Return the text of the path with another last segment."""
        return self.with_segments([*self.segments[:-1], file])

    def resolved(self) -> list[str]:
        """Return the segments without `.`, and without each `..` that can be resolved."""
        result: list[str] = []
        for segment in self.segments:
            if segment == "..":
                if result and result[-1] != "..":
                    result.pop()
                elif not self.absolute:
                    result.append(segment)
            elif segment != ".":
                result.append(segment)
        return result

    def normalized(self) -> str:
        """Return the text of the path after resolving it."""
        return self.with_segments(self.resolved()) or "."


def _path(path: object) -> _Path:
    return _Path(display(path))


@native("path_parts")
def path_parts(path: object = "") -> dict[str, object]:
    """Return the folder, file, stem, extension and segments of a path."""
    parsed = _path(path)
    stem, extension = _split_extension(parsed.file)
    segments: list[object] = [*parsed.segments]
    return {"dir": parsed.parent, "ext": extension, "file": parsed.file, "segments": segments, "stem": stem}


@native("path_parent")
def path_parent(path: object = "") -> str:
    """Return the parent folder of a path."""
    return _path(path).parent


@native("path_basename")
def path_basename(path: object = "") -> str:
    """Return the last segment of a path."""
    return _path(path).file


@native("path_stem")
def path_stem(path: object = "") -> str:
    """Return the last segment of a path without its extension."""
    return _split_extension(_path(path).file)[0]


@native("path_extension")
def path_extension(path: object = "") -> str:
    """Return the extension of a path with its dot."""
    return _split_extension(_path(path).file)[1]


@native("path_segments")
def path_segments(path: object = "") -> list[object]:
    """Return the segments of a path that are not empty."""
    return [*_path(path).segments]


@native("path_with_extension")
def path_with_extension(path: object = "", extension: object = "") -> str:
    """Return a path with another extension; an empty one removes it."""
    parsed = _path(path)
    suffix = display(extension)
    if not parsed.file:
        return parsed.with_segments([])
    if suffix and not suffix.startswith("."):
        suffix = "." + suffix
    return parsed.renamed(_split_extension(parsed.file)[0] + suffix)


@native("path_with_stem")
def path_with_stem(path: object = "", stem: object = "") -> str:
    """Return a path with another stem and the same extension."""
    parsed = _path(path)
    return parsed.renamed(display(stem) + _split_extension(parsed.file)[1])


@native("path_is_absolute")
def path_is_absolute(path: object = "") -> bool:
    """Return whether a path starts at a root."""
    return _path(path).absolute


@native("path_is_relative")
def path_is_relative(path: object = "") -> bool:
    """Return whether a path does not start at a root."""
    return not _path(path).absolute


@native("path_normalize")
def path_normalize(path: object = "") -> str:
    """Return a path with `.`, `..` and doubled slashes resolved."""
    text = display(path)
    return _Path(text).normalized() if text else ""


@native("path_relative_to")
def path_relative_to(path: object = "", base: object = "") -> str | None:
    """Return a path relative to a base folder, or nil if there is no such path."""
    return _relative(_path(path), _path(base))


def _relative(target: _Path, base: _Path) -> str | None:
    if (target.absolute, target.drive.upper()) != (base.absolute, base.drive.upper()):
        return None
    there, here = target.resolved(), base.resolved()
    shared = 0
    while shared < min(len(there), len(here)) and there[shared] == here[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."


@native("path_to_posix")
def path_to_posix(path: object = "") -> str:
    """Return a path with slashes for backslashes."""
    return display(path).replace("\\", "/")


@native("path_to_native")
def path_to_native(path: object = "") -> str:
    """Return a path with slashes for backslashes."""
    return display(path).replace("\\", "/")


# Inside a workspace


def _is_below(segments: list[str]) -> bool:
    return segments[:1] != [".."]


def _recovered(run: Execution, parsed: _Path, root: str) -> str | None:
    """Return the path below the root that an absolute path probably means, if the absolute path does not exist.

    Where the run may not look, nothing is recovered.
    """

    def looked_at(path: str) -> FilePlace | None:
        return readable_place(run, "path_workspace_info", path)

    given = looked_at(parsed.normalized())
    if given is None or kind_at(given):
        return None
    inside = "/".join(parsed.resolved())
    candidate = posixpath.join(root, inside)
    fits = inside and (kind_at(looked_at(candidate)) or stat.S_ISDIR(kind_at(looked_at(posixpath.dirname(candidate)))))
    return inside if fits else None


def _absolute_info(run: Execution, parsed: _Path, root: str) -> dict[str, object]:
    inside = _relative(parsed, _Path(root))
    if inside is not None and _is_below(inside.split("/")):
        return {"kind": "host_absolute", "host_path": parsed.normalized(), "workspace_path": inside}
    recovered = _recovered(run, parsed, root)
    if recovered is None:
        return {"kind": "host_absolute", "host_path": parsed.normalized()}
    return {
        "kind": "workspace_relative",
        "host_path": posixpath.join(root, recovered),
        "recovered_root_drift": True,
        "workspace_path": recovered,
    }


def _relative_info(parsed: _Path, root: str) -> dict[str, object]:
    segments = parsed.resolved()
    if not _is_below(segments) or parsed.drive:
        return {"kind": "invalid", "reason": "workspace-relative path escapes the workspace root"}
    host_path = posixpath.join(root, *segments)
    return {"kind": "workspace_relative", "host_path": host_path, "workspace_path": parsed.normalized()}


def _place(run: Execution, text: str, root: str) -> dict[str, object]:
    if not text:
        return {"kind": "invalid", "reason": "path is empty"}
    if "\0" in text:
        return {"kind": "invalid", "reason": "path contains NUL bytes"}
    parsed = _Path(text)
    return _absolute_info(run, parsed, root) if parsed.absolute else _relative_info(parsed, root)


def _workspace_info(run: Execution, path: object, root: object) -> dict[str, object]:
    text = display(path)
    given = "" if root is MISSING else display(root)
    place = _place(run, text, _Path(resolve(run, given)).normalized())
    return {
        "host_path": None,
        "input": text,
        "normalized": _Path(text).normalized() if text else "",
        "reason": None,
        "recovered_root_drift": False,
        "workspace_path": None,
        **place,
    }


@native("path_workspace_info")
def path_workspace_info(run: Execution, path: object = "", root: object = MISSING) -> dict[str, object]:
    """Return whether a path is inside a workspace, outside or invalid, with its host and workspace forms."""
    return _workspace_info(run, path, root)


@native("path_workspace_normalize")
def path_workspace_normalize(run: Execution, path: object = "", root: object = MISSING) -> str | None:
    """Return a path relative to the root of the workspace, or nil if it is not inside."""
    text = _workspace_info(run, path, root)["workspace_path"]
    return text if isinstance(text, str) else None
