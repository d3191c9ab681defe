"""Builtins that create and read tar and zip archives in memory."""

from __future__ import annotations

import io
import re
import stat
import tarfile
import zipfile
import zlib

from harnlite.library.compression import bytes_argument
from harnlite.library.decompression import Output, output_limit
from harnlite.library.native import MISSING, native
from harnlite.values.data_types import type_name
from harnlite.values.errors import runtime_error
from harnlite.values.interrupts import interruptible, poll_here
from harnlite.values.size_limits import check_items, check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

_MODE_BITS = 0o7777
_DEFAULT_MODE = 0o644
_CHUNK = 65_536
_BLOCK = tarfile.BLOCKSIZE
_ENTRY_BYTES = 1_000
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_ENCRYPTED = 0x1
_DRIVE = re.compile(r"[A-Za-z]:")
_SEPARATORS = re.compile(r"[/\\]")
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_DAMAGED = (EOFError, OSError, ValueError, ArithmeticError, LookupError, RecursionError)
"""What the libraries raise for damaged archives, besides their own errors."""


# Creating


def _entries(function: str, entries: object) -> Iterator[tuple[str, bytes, int]]:
    """Yield the path, content and mode of each entry, or raise for the first one that is not valid."""
    if entries.__class__ is not list:
        raise runtime_error(f"{function}: entries must be a list, got {type_name(entries)}")
    for number, entry in enumerate(entries, 1):
        poll_here()
        fields = entry if entry.__class__ is dict else {}
        prefix = f"{function}: entry {number}"
        yield _path(prefix, fields), _content(prefix, fields), _mode(prefix, fields)


def _path(prefix: str, fields: dict[str, object]) -> str:
    if "path" not in fields:
        raise runtime_error(f"{prefix} is missing path")
    path = fields["path"]
    if not isinstance(path, str):
        raise runtime_error(f"{prefix} path must be a string, got {type_name(path)}")
    if not path:
        raise runtime_error(f"{prefix} path must not be empty")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise runtime_error(f"{prefix} path must be valid Unicode") from None
    if "\0" in path:
        raise runtime_error(f"{prefix} path must not contain NUL bytes")
    return path


def _content(prefix: str, fields: dict[str, object]) -> bytes:
    if "content" not in fields:
        raise runtime_error(f"{prefix} is missing content")
    content = fields["content"]
    if isinstance(content, bytes):
        return content
    if not isinstance(content, str):
        raise runtime_error(f"{prefix} content must be bytes or string, got {type_name(content)}")
    return content.encode("utf-8", "surrogatepass")


def _mode(prefix: str, fields: dict[str, object]) -> int:
    mode = fields.get("mode", _DEFAULT_MODE)
    if not isinstance(mode, int) or isinstance(mode, bool):
        raise runtime_error(f"{prefix} mode must be an int, got {type_name(mode)}")
    if not 0 <= mode <= _MODE_BITS:
        raise runtime_error(f"{prefix} mode must be between 0 and {_MODE_BITS}")
    return mode


@native("tar_create")
def tar_create(entries: object = None) -> bytes:
    """Return a tar archive of files."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content, mode in _entries("tar_create", entries):
            check_size(target.tell() + len(content))
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), mode
            archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


@native("zip_create")
def zip_create(entries: object = None) -> bytes:
    """Return a zip archive of files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content, _ in _entries("zip_create", entries):
            check_size(target.tell() + len(content) // 1_000)
            member = zipfile.ZipInfo(path, _FIRST_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = _UNIX
            member.external_attr = (stat.S_IFREG | _DEFAULT_MODE) << 16
            # Several entries may have the same path; the library would write a warning.
            archive.NameToInfo.clear()
            with archive.open(member, "w") as file:
                for start in range(0, len(content), _CHUNK):
                    poll_here()
                    file.write(content[start : start + _CHUNK])
    check_size(target.tell())
    return target.getvalue()


# Reading


def _checked_path(function: str, path: str) -> str:
    """Return the path of an entry, or raise if it is not inside the folder where an archive is extracted."""
    parts = _SEPARATORS.split(path)
    if not parts[0] or ".." in parts or _DRIVE.match(path) or "\0" in path:
        raise runtime_error(f"{function}: entry path '{path}' is not inside the archive")
    return path


def _read(file: IO[bytes], output: Output) -> bytes:
    """Return the content of a file in an archive."""
    parts = []
    while part := file.read(min(_CHUNK, output.room)):
        output.count(len(part))
        parts.append(part)
    return b"".join(parts)


@native("tar_extract")
def tar_extract(data: object = MISSING, options: object = None) -> list[dict[str, object]]:
    """Return the files of a tar archive in order."""
    source = bytes_argument("tar_extract", data)
    output = Output("tar_extract", output_limit(options, len(source)))
    try:
        archive = interruptible(_opened_tar, source)
        files = list(_tar_files(archive, output))
    except (tarfile.TarError, *_DAMAGED) as error:
        raise runtime_error(f"tar_extract: {_reason(error)}") from None
    rest = source[archive.offset : archive.offset + _BLOCK]
    if rest.strip(b"\0"):
        raise runtime_error(f"tar_extract: invalid header at byte {archive.offset}")
    return files


def _opened_tar(source: bytes) -> tarfile.TarFile:
    return tarfile.open(fileobj=io.BytesIO(source), mode="r:")


def _tar_files(archive: tarfile.TarFile, output: Output) -> Iterator[dict[str, object]]:
    count = 0
    while (member := interruptible(lambda opened: opened.next(), archive)) is not None:
        count += 1
        check_items(count, _ENTRY_BYTES)
        if not member.isreg() or member.name.endswith("/"):
            continue
        path = _checked_path("tar_extract", member.name)
        file = archive.extractfile(member)
        content = b"" if file is None else _read(file, output)
        if len(content) != member.size:
            raise EOFError("unexpected end of data")
        yield {"content": content, "mode": member.mode & _MODE_BITS, "path": path}


@native("zip_extract")
def zip_extract(data: object = MISSING, options: object = None) -> list[dict[str, object]]:
    """Return the files of a zip archive in order."""
    source = bytes_argument("zip_extract", data)
    output = Output("zip_extract", output_limit(options, len(source)))
    check_items(source.count(b"PK\1\2"), _ENTRY_BYTES)
    try:
        archive = interruptible(zipfile.ZipFile, io.BytesIO(source))
        return list(_zip_files(archive, output))
    except (zipfile.BadZipFile, zlib.error, RuntimeError, *_DAMAGED) as error:
        raise runtime_error(f"zip_extract: {_reason(error)}") from None


def _zip_files(archive: zipfile.ZipFile, output: Output) -> Iterator[dict[str, object]]:
    for member in archive.infolist():
        kind = stat.S_IFMT(member.external_attr >> 16)
        if member.is_dir() or kind not in {0, stat.S_IFREG}:
            continue
        path = _checked_path("zip_extract", member.filename)
        if member.flag_bits & _ENCRYPTED:
            raise runtime_error(f"zip_extract: entry '{path}' is encrypted")
        if member.compress_type not in _METHODS:
            raise runtime_error(f"zip_extract: entry '{path}' has the unsupported method {member.compress_type}")
        with archive.open(member) as file:
            content = _read(file, output)
        if len(content) != member.file_size:
            raise EOFError("unexpected end of data")
        yield {"content": content, "path": path}


def _reason(error: Any) -> str:  # noqa: ANN401 - any exception of the libraries
    if isinstance(error, RecursionError):
        return "too many headers before an entry"
    text = str(error) or "unexpected end of data"
    return text[0].lower() + text[1:]
