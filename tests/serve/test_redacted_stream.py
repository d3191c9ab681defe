"""The stream for what scripts print: whole lines without secrets."""

import io

import pytest

from harnlite.serve.redacted_stream import RedactedStream
from harnlite.store.redaction import Redactor

SECRET = "Zq8" * 8
PEM = ["-----BEGIN RSA PRIVATE KEY-----\n", "MIIEpAIBAAKCAQEAzzz\n", "abc\n", "-----END RSA PRIVATE KEY-----\n"]


@pytest.fixture
def shown():
    return io.StringIO()


@pytest.fixture
def stream(shown):
    return RedactedStream(shown, Redactor(("known-key-1234",)))


def test_lines_are_written_at_once_and_without_secrets(stream, shown):
    assert stream.write(f"a\npassword={SECRET}\n") > 0
    assert shown.getvalue() == "a\npassword=[redacted]\n"


def test_the_beginning_of_a_line_is_written_by_flush(stream, shown):
    stream.write("half")
    assert shown.getvalue() == ""
    stream.flush()
    assert shown.getvalue() == "half"
    stream.write(" and half\n")
    assert shown.getvalue() == "half and half\n"


def test_a_secret_in_pieces_is_kept_until_the_line_ends(stream, shown):
    for piece in ("password=", SECRET[:5], SECRET[5:]):
        stream.write(piece)
        stream.flush()
    assert shown.getvalue() == ""
    stream.write("\n")
    assert shown.getvalue() == "password=[redacted]\n"


def test_the_end_writes_what_is_kept(stream, shown):
    stream.write(f"token={SECRET}")
    stream.finish()
    assert shown.getvalue() == "token=[redacted]"


@pytest.mark.parametrize("pieces", [PEM, ["".join(PEM)], ["".join(PEM[:2]), "".join(PEM[2:])]])
def test_a_private_key_over_several_lines(stream, shown, pieces):
    for piece in ("before\n", *pieces, "after\n"):
        stream.write(piece)
        stream.flush()
    assert shown.getvalue() == "before\n[redacted]\nafter\n"


def test_a_line_without_end_is_written_in_parts(stream, shown):
    stream.write("x" * (1 << 20))
    assert shown.getvalue() == ""
    stream.write("x")
    assert len(shown.getvalue()) == (1 << 20) + 1


def test_a_known_key_is_removed(stream, shown):
    stream.write("it is known-key-1234\n")
    assert shown.getvalue() == "it is [redacted]\n"
