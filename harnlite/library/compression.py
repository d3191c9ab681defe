"""Builtins that compress and decompress bytes."""

from __future__ import annotations

import sys
import zlib

from harnlite.library.binary_text import steps, utf8
from harnlite.library.decompression import Output, decompress_members, output_limit
from harnlite.library.native import MISSING, native
from harnlite.values.data_types import type_name
from harnlite.values.errors import runtime_error
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_GZIP = 16 + zlib.MAX_WBITS
_END = "unexpected end of file"


def content_of(function: str, value: object) -> bytes:
    """Return the bytes of an argument that is bytes or a string."""
    if isinstance(value, bytes):
        return value
    if value.__class__ is str:
        return utf8(value)
    if value is MISSING:
        raise runtime_error(f"{function}: missing argument 1")
    raise runtime_error(f"{function}: expected bytes or string at argument 1, got {type_name(value)}")


def bytes_argument(function: str, value: object) -> bytes:
    """Return an argument that must be bytes."""
    if isinstance(value, bytes):
        return value
    if value is MISSING:
        raise runtime_error(f"{function}: missing argument 1")
    raise runtime_error(f"{function}: expected bytes at argument 1, got {type_name(value)}")


def _level(function: str, value: object, bounds: tuple[int, int], *, name: str = "level") -> int:
    if value.__class__ is not int:
        raise runtime_error(f"{function}: {name} must be an int, got {type_name(value)}")
    least, most = bounds
    if not least <= value <= most:
        raise runtime_error(f"{function}: {name} must be between {least} and {most}, got {value}")
    return value


def _compressed(data: bytes, compress: Callable[[bytes], bytes], finish: Callable[[], bytes]) -> bytes:
    parts = [compress(part) for part in steps(data)]
    parts.append(finish())
    check_size(sum(map(len, parts)))
    return b"".join(parts)


# Gzip


@native("gzip_encode")
def gzip_encode(value: object = MISSING, level: object = 6) -> bytes:
    """Return bytes or a string compressed with gzip."""
    data = content_of("gzip_encode", value)
    coder = zlib.compressobj(_level("gzip_encode", level, (0, 9)), zlib.DEFLATED, _GZIP)
    return _compressed(data, coder.compress, coder.flush)


class _GzipMember:
    """The decompressor of a member of a gzip file, which keeps the input that it has not used yet."""

    __slots__ = ("_coder",)

    def __init__(self) -> None:
        self._coder = zlib.decompressobj(_GZIP)

    @property
    def eof(self) -> bool:
        """Whether the member is complete."""
        return self._coder.eof

    @property
    def unused_data(self) -> bytes:
        """The bytes after the member."""
        return self._coder.unused_data

    def decompress(self, data: bytes, size: int, /) -> bytes:
        """Return at most `size` more bytes."""
        return self._coder.decompress(data or self._coder.unconsumed_tail, size)


@native("gzip_decode")
def gzip_decode(data: object = MISSING, options: object = None) -> bytes:
    """Return the bytes that gzip has compressed."""
    compressed = bytes_argument("gzip_decode", data)
    output = Output("gzip_decode", output_limit(options, len(compressed)))
    count = 0

    def start(rest: bytes) -> _GzipMember | None:
        nonlocal count
        count += 1
        # Files may be padded with zeros.
        return None if count > 1 and not rest.strip(b"\0") else _GzipMember()

    try:
        decompress_members(compressed, start, output)
    except EOFError:
        raise runtime_error(f"gzip_decode: {_END}") from None
    except zlib.error as error:
        raise runtime_error(f"gzip_decode: {_gzip_reason(str(error))}") from None
    return output.take()


def _gzip_reason(text: str) -> str:
    if "header" in text or "unknown compression" in text:
        return "invalid gzip header"
    if "incorrect" in text:
        return "corrupt gzip stream does not have a matching checksum"
    return "corrupt deflate stream"


# Zstandard


def _zstd() -> Any:  # noqa: ANN401 - a module, of which there are two
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


@native("zstd_encode")
def zstd_encode(value: object = MISSING, level: object = 3) -> bytes:
    """Return bytes or a string compressed with Zstandard."""
    data = content_of("zstd_encode", value)
    library = _zstd()
    bounds = library.CompressionParameter.compression_level.bounds()
    coder = library.ZstdCompressor(_level("zstd_encode", level, bounds))
    return _compressed(data, coder.compress, coder.flush)


@native("zstd_decode")
def zstd_decode(data: object = MISSING, options: object = None) -> bytes:
    """Return the bytes that Zstandard has compressed."""
    compressed = bytes_argument("zstd_decode", data)
    library = _zstd()
    output = Output("zstd_decode", output_limit(options, len(compressed)))
    try:
        decompress_members(compressed, lambda _: library.ZstdDecompressor(), output)
    except EOFError:
        raise runtime_error(f"zstd_decode: {_END}") from None
    except library.ZstdError as error:
        raise runtime_error(f"zstd_decode: {_zstd_reason(str(error))}") from None
    return output.take()


def _zstd_reason(text: str) -> str:
    return text.removeprefix("Unable to decompress Zstandard data: ").lower()


# Brotli


@native("brotli_encode")
def brotli_encode(value: object = MISSING, quality: object = 11) -> bytes:
    """Return bytes or a string compressed with Brotli."""
    data = content_of("brotli_encode", value)
    import brotli

    coder = brotli.Compressor(quality=_level("brotli_encode", quality, (0, 11), name="quality"))
    return _compressed(data, coder.process, coder.finish)


@native("brotli_decode")
def brotli_decode(data: object = MISSING, options: object = None) -> bytes:
    """Return the bytes that Brotli has compressed."""
    compressed = bytes_argument("brotli_decode", data)
    import brotli

    output = Output("brotli_decode", output_limit(options, len(compressed)))
    coder = brotli.Decompressor()
    try:
        for part in steps(compressed):
            output.add(coder.process(part, output_buffer_limit=output.room))
            while not coder.can_accept_more_data():
                output.add(coder.process(b"", output_buffer_limit=output.room))
    except brotli.error:
        raise runtime_error("brotli_decode: invalid data") from None
    if not coder.is_finished():
        raise runtime_error(f"brotli_decode: {_END}")
    return output.take()
