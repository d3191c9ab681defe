"""Compression and archives: round trips with Python's libraries, bombs, damaged data, and exact errors."""

from __future__ import annotations

import gzip
import io
import random
import stat
import tarfile
import time
import zipfile

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnlite
from harnlite.library import archives, compression
from harnlite.library.decompression import MOST_MEMBERS
from harnlite.values.errors import ScriptError
from tests.samples import count

CODERS = {
    "gzip": (compression.gzip_encode, compression.gzip_decode),
    "zstd": (compression.zstd_encode, compression.zstd_decode),
    "brotli": (compression.brotli_encode, compression.brotli_decode),
}
CONTENT = st.binary(max_size=300) | st.builds(
    lambda part, times: part * times, st.binary(max_size=9), st.integers(0, 999)
)
PATHS = st.text(st.characters(categories=["L", "N"], include_characters="._ "), min_size=1, max_size=150).filter(
    lambda path: path.strip(". ") and ":" not in path
)
ENTRIES = st.lists(
    st.fixed_dictionaries({"path": PATHS, "content": CONTENT, "mode": st.integers(0, 0o7777)}), max_size=5
)


def error_of(function, *args):
    with pytest.raises(ScriptError) as caught:
        function(*args)
    return caught.value.value


def outcome(function, *args):
    try:
        return function(*args)
    except ScriptError as error:
        return error.value


@given(CONTENT)
def test_gzip_as_python(data):
    encoded = compression.gzip_encode(data)
    assert gzip.decompress(encoded) == data
    assert encoded[4:8] == bytes(4), "the time is 0"
    assert compression.gzip_decode(gzip.compress(data) + gzip.compress(data) + bytes(7)) == data * 2
    assert brotli.decompress(compression.brotli_encode(data, 5)) == data
    assert compression.zstd_decode(compression.zstd_encode(data) * 2) == data * 2


@pytest.mark.parametrize("name", CODERS)
def test_strings_are_compressed_as_utf8(name):
    encode, decode = CODERS[name]
    assert decode(encode("é" * 1000)) == ("é" * 1000).encode()
    assert decode(encode("")) == b""


@pytest.mark.parametrize("name", CODERS)
def test_damaged_data_gives_an_error_or_other_bytes(name):
    encode, decode = CODERS[name]
    data = encode("a text that is compressed, " * 20 + "with an end")
    for size in range(len(data)):
        assert outcome(decode, data[:size]) == f"Runtime error: {name}_decode: unexpected end of file"
    chance = random.Random(name)
    for _ in range(count(3000, 300)):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] = chance.randrange(256)
        assert isinstance(outcome(decode, bytes(damaged)), str | bytes)
    for junk in (b"junk", data + b"junk", bytes(100)):
        assert isinstance(outcome(decode, junk), str)


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(data):
    for _, decode in CODERS.values():
        outcome(decode, data)
    outcome(archives.tar_extract, data)
    outcome(archives.zip_extract, data)


@pytest.mark.parametrize("name", CODERS)
def test_bombs(name):
    encode, decode = CODERS[name]
    text = f"Runtime error: {name}_decode: the output has more than {{}} bytes; allow more with the option max_bytes"
    small = encode(bytes(1_000_001), 1)
    assert outcome(decode, small) == text.format(1_000_000)
    assert decode(small, {"max_bytes": 1_000_001}) == bytes(1_000_001)
    assert outcome(decode, small, {"max_bytes": 1_000_000.5, "other": 1}) == text.format(1_000_000)
    assert decode(encode(bytes(1_000_000), 1)) == bytes(1_000_000)
    assert outcome(decode, encode("x" * 11), {"max_bytes": 10}) == text.format(10)
    large = encode(bytes(120_000_000), 1)
    assert outcome(decode, large) == text.format(min(max(len(large) * 200, 1_000_000), 100_000_000))


def test_many_empty_members_are_refused():
    expected = f"Runtime error: gzip_decode: the data has more than {MOST_MEMBERS} members"
    assert outcome(compression.gzip_decode, gzip.compress(b"") * (MOST_MEMBERS + 1)) == expected


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        ("gzip_encode", (), "missing argument 1"),
        ("gzip_encode", (5,), "expected bytes or string at argument 1, got int"),
        ("gzip_encode", ("", 10), "level must be between 0 and 9, got 10"),
        ("gzip_encode", ("", "1"), "level must be an int, got string"),
        ("gzip_decode", (), "missing argument 1"),
        ("gzip_decode", ("",), "expected bytes at argument 1, got string"),
        ("gzip_decode", (b"junk-junk-junk",), "invalid gzip header"),
        ("zstd_encode", ("", 23), "level must be between -131072 and 22, got 23"),
        ("zstd_decode", (None,), "expected bytes at argument 1, got nil"),
        ("brotli_encode", ("", 12), "quality must be between 0 and 11, got 12"),
        ("brotli_encode", ("", None), "quality must be an int, got nil"),
    ],
)
def test_errors_of_compression(function, args, text):
    assert error_of(getattr(compression, function), *args) == f"Runtime error: {function}: {text}"


# Archives


@given(ENTRIES)
def test_tar_as_python(entries):
    data = archives.tar_create(entries)
    assert data == archives.tar_create(entries)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        found = [(item.name, archive.extractfile(item).read(), item.mode, item.mtime) for item in archive]
    assert found == [(entry["path"], entry["content"], entry["mode"], 0) for entry in entries]
    assert archives.tar_extract(data, {"max_bytes": 10**8}) == entries


@pytest.mark.parametrize("window", [28, 31, 41])
@pytest.mark.parametrize("times", [1, 50])
def test_a_window_that_needs_too_much_memory_is_refused(window, times):
    frame = bytes.fromhex("28b52ffd00") + bytes([(window - 10) << 3]) + bytes.fromhex("190000") + b"abc"
    expected = "Runtime error: zstd_decode: frame requires too much memory for decoding"
    assert error_of(compression.zstd_decode, frame * times) == expected
    largest = frame[:5] + bytes([(27 - 10) << 3]) + frame[6:]
    assert compression.zstd_decode(largest * times) == b"abc" * times


def test_a_frame_that_lies_about_its_size_is_refused():
    frame = bytes.fromhex("28b52ffde0") + (10**12).to_bytes(8, "little") + bytes.fromhex("190000") + b"abc"
    assert "too much memory" in error_of(compression.zstd_decode, frame)


def test_blocks_of_one_repeated_byte_keep_the_limit():
    block = (131_072 << 3 | 2).to_bytes(3, "little") + b"a"
    frame = bytes.fromhex("28b52ffd0050") + block * 5000
    assert "the output has more than" in error_of(compression.zstd_decode, frame)


@given(ENTRIES)
def test_zip_as_python(entries):
    data = archives.zip_create(entries)
    assert data == archives.zip_create(entries)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = [(item.filename, archive.open(item).read()) for item in archive.infolist()]
    expected = [{"content": entry["content"], "path": entry["path"]} for entry in entries]
    assert found == [(entry["path"], entry["content"]) for entry in expected]
    assert archives.zip_extract(data) == expected


def test_modes_and_strings():
    entries = [{"path": "a/b", "content": "é"}, {"path": "c", "content": b"", "mode": 0o755}]
    assert archives.tar_extract(archives.tar_create(entries)) == [
        {"content": "é".encode(), "mode": 0o644, "path": "a/b"},
        {"content": b"", "mode": 0o755, "path": "c"},
    ]


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        (5, "entries must be a list, got int"),
        (None, "entries must be a list, got nil"),
        ([{}], "entry 1 is missing path"),
        ([{"path": "a", "content": ""}, {"path": ""}], "entry 2 path must not be empty"),
        ([{"path": 1}], "entry 1 path must be a string, got int"),
        ([{"path": "a"}], "entry 1 is missing content"),
        ([{"path": "a", "content": 1}], "entry 1 content must be bytes or string, got int"),
        ([{"path": "a", "content": "", "mode": "x"}], "entry 1 mode must be an int, got string"),
        ([{"path": "a", "content": "", "mode": 4096}], "entry 1 mode must be between 0 and 4095"),
        ([{"path": "a\0", "content": ""}], "entry 1 path must not contain NUL bytes"),
    ],
)
@pytest.mark.parametrize("function", ["tar_create", "zip_create"])
def test_errors_of_entries(function, entries, text):
    assert error_of(getattr(archives, function), entries) == f"Runtime error: {function}: {text}"


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "..", "C:\\x", "C:x", "\\x", "a\\..\\x"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_no_entry_is_outside_the_archive(kind, path):
    data = getattr(archives, f"{kind}_create")([{"path": path, "content": "x"}])
    expected = f"Runtime error: {kind}_extract: entry path '{path}' is not inside the archive"
    assert error_of(getattr(archives, f"{kind}_extract"), data) == expected


def test_links_devices_and_directories_are_omitted():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            member = tarfile.TarInfo("x")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        archive.addfile(tarfile.TarInfo("kept"))
    assert [entry["path"] for entry in archives.tar_extract(target.getvalue())] == ["kept"]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.mkdir("folder")
        archive.writestr("kept", "")
    assert [entry["path"] for entry in archives.zip_extract(target.getvalue())] == ["kept"]


def zipped(method, size):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("x", bytes(size))
    return target.getvalue()


def test_bombs_in_archives():
    text = "Runtime error: zip_extract: the output has more than {} bytes; allow more with the option max_bytes"
    small, large = zipped(zipfile.ZIP_DEFLATED, 2_000_000), zipped(zipfile.ZIP_DEFLATED, 150_000_000)
    assert error_of(archives.zip_extract, small) == text.format(1_000_000)
    assert len(archives.zip_extract(small, {"max_bytes": 2_000_000})) == 1
    assert error_of(archives.zip_extract, large) == text.format(len(large) * 200)
    nested = archives.zip_create([{"path": f"{number}", "content": small} for number in range(9)])
    assert archives.zip_extract(nested)[8]["content"] == small, "only one layer is opened"
    expected = "Runtime error: zip_extract: entry 'x' has the unsupported method 14"
    assert error_of(archives.zip_extract, zipped(zipfile.ZIP_LZMA, 5_000_000)) == expected


def test_overlapping_entries_count_each_time():
    """Many entries of the directory may have the same content."""
    small = zipped(zipfile.ZIP_DEFLATED, 900_000)
    start = small.index(b"PK\1\2")
    end = small.index(b"PK\5\6")
    entry, times = small[start:end], 100
    size = (len(entry) * times).to_bytes(4, "little")
    tail = bytearray(small[end:])
    tail[8:12] = times.to_bytes(2, "little") * 2
    tail[12:16] = size
    found = outcome(archives.zip_extract, small[:start] + entry * times + bytes(tail))
    assert isinstance(found, str)
    assert "the output has more than" in found or "overlap" in found.lower()


def test_a_sparse_file_cannot_claim_more_than_the_limit():
    header = tarfile.TarInfo("x")
    header.size = 10**12
    data = header.tobuf(tarfile.GNU_FORMAT) + bytes(1024)
    assert error_of(archives.tar_extract, data) == "Runtime error: tar_extract: unexpected end of data"


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_damaged_archives_give_an_error_or_other_entries(kind):
    create, extract = getattr(archives, f"{kind}_create"), getattr(archives, f"{kind}_extract")
    data = create(
        [{"path": "a", "content": "x" * 90}, {"path": "b" * 120, "content": b"\0\1"}, {"path": "é", "content": ""}]
    )
    chance = random.Random(kind)
    for _ in range(count(20_000, 1000)):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 5)):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 255, chance.randrange(256)))
        size = chance.choice((len(data), chance.randrange(len(data))))
        assert isinstance(outcome(extract, bytes(damaged[:size])), str | list)


def test_damaged_archives_in_the_middle_are_refused():
    data = bytearray(archives.tar_create([{"path": "a", "content": ""}, {"path": "b", "content": ""}]))
    data[512 + 150] ^= 1
    assert error_of(archives.tar_extract, bytes(data)) == "Runtime error: tar_extract: invalid header at byte 512"
    assert error_of(archives.tar_extract, b"") == "Runtime error: tar_extract: empty file"
    assert error_of(archives.zip_extract, b"") == "Runtime error: zip_extract: file is not a zip file"
    assert error_of(archives.zip_extract) == "Runtime error: zip_extract: missing argument 1"
    assert error_of(archives.tar_extract, "x") == "Runtime error: tar_extract: expected bytes at argument 1, got string"


@pytest.mark.parametrize(
    "call", ["brotli_encode(text)", "zstd_encode(text, 22)", "base32_encode(text)", "gzip_encode(text, 9)"]
)
def test_a_deadline_ends_long_work(call):
    program = f"""
    pipeline default(processor_seconds) {{
      var text = ""
      for number in 0 to 60000 {{ text = text + sha256(str(number)) }}
      text = text + text + text + text
      let start = processor_seconds()
      try {{
        deadline 50ms {{
          for _ in 0 to 1000 {{ {call} }}
        }}
      }} catch (error) {{
        return processor_seconds() - start
      }}
    }}
    """
    assert harnlite.run(program, params={"processor_seconds": time.process_time}).value < 4


def test_a_chain_of_headers_is_refused():
    header = tarfile.TarInfo("p").create_pax_global_header({"path": "x"})
    assert outcome(archives.tar_extract, header * 3_000 + bytes(1024)).startswith("Runtime error: tar_extract: ")
