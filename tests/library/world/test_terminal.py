from __future__ import annotations

import io

import pytest

from harnlite.library import terminal

YES = True


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("println", ("a", "b"), "a b\n"),
        ("println", (), "\n"),
        ("println", (None,), "nil\n"),
        ("println", ([1.0, "x"],), "[1.0, x]\n"),
        ("print", ({"b": 1, "a": 2},), "{a: 2, b: 1}"),
        ("print", (), ""),
        ("log", ("hi",), "[harn] hi\n"),
        ("log", (), "[harn] \n"),
        ("log", (1, None), "[harn] 1 nil\n"),
        ("print", ("a", ""), "a "),
    ],
)
def test_output(run, name, args, text):
    assert run.printed(name, *args) == text


def test_stderr_and_its_capture(run):
    run.call("eprint", 1)
    run.call("eprintln", "two", 2)
    assert run.err == "1two 2\n"
    run.call("capture_stderr_start")
    run.call("eprintln", "three")
    run.call("capture_stderr_start")
    run.call("eprintln")
    run.call("eprint", "four")
    assert run.call("capture_stderr_take") == "\nfour"
    assert run.call("capture_stderr_take") == ""
    run.call("eprint", "!")
    assert run.err == "1two 2\n!"


class BytesIn:
    """Stdin over a pipe: bytes that arrive in pieces."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)
        self.buffer = self

    def read(self, _size):
        return self.pieces.pop(0) if self.pieces else b""

    def isatty(self):
        return False


@pytest.mark.parametrize("stdin", [io.StringIO("a\n\nb\r\nlast"), BytesIn(b"a\n\n", b"b\r", b"\nla", b"st")])
def test_read_line(run, stdin):
    run.stdin = stdin
    assert [run.call("read_line") for _ in range(6)] == ["a", "", "b", "last", None, None]


@pytest.mark.parametrize("make", [io.StringIO, lambda text: BytesIn(text.encode())])
def test_read_stdin(run, make):
    run.stdin = make("é\nb\n")
    assert run.call("read_line") == "é"
    assert run.call("read_stdin") == "b\n"
    assert run.call("read_stdin") is None


def test_mocked_lines_then_the_real_stdin(run):
    run.stdin = io.StringIO("real\n")
    run.call("mock_stdin", "a\r\n\nb\n")
    assert [run.call("read_line") for _ in range(5)] == ["a\r", "", "b", "real", None]


def test_mocked_text_leaves_nothing(run):
    run.call("mock_stdin", "a\nb")
    assert run.call("read_stdin") == "a\nb"
    assert run.call("read_line") is None
    assert run.call("read_stdin") is None


def test_after_a_mocked_line_the_rest_is_for_read_line_only(run):
    run.stdin = io.StringIO("real")
    run.call("mock_stdin", "a\nb\n")
    assert run.call("read_line") == "a"
    assert run.call("read_stdin") == "real"
    assert run.call("read_line") == "b"


def test_empty_mock(run):
    run.call("mock_stdin", "")
    assert run.call("read_line") is None
    assert run.call("read_stdin") == ""
    run.call("mock_stdin", "x")
    run.call("unmock_stdin")
    assert run.call("read_stdin") is None


def test_prompt_reads_the_real_line(run):
    run.stdin = io.StringIO("  yes \t\n")
    run.call("mock_stdin", "mock")
    assert run.call("prompt_user", "sure? ") == "  yes"
    assert run.out == "sure? "
    assert run.call("prompt_user", "") == ""


def test_ttys(run):
    assert run.call("is_stdin_tty") is False
    run.call("mock_tty", "stdin", YES)
    run.call("mock_tty", "stdout", 1)
    assert run.call("is_stdin_tty") is True
    assert run.call("is_stdout_tty") is False
    run.call("mock_tty", "stderr", YES)
    assert run.call("is_stderr_tty") is True
    run.call("unmock_tty")
    assert run.call("is_stdin_tty") is False
    error = "mock_tty: invalid stream 'x'. Expected 'stdin', 'stdout', or 'stderr'."
    assert run.error("mock_tty", "x", YES) == error


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("bold", ("x",), "\x1b[1mx\x1b[0m"),
        ("dim", (5,), "\x1b[2m5\x1b[0m"),
        ("color", ("x", "black"), "\x1b[30mx\x1b[0m"),
        ("color", ("x", "white"), "\x1b[37mx\x1b[0m"),
        ("color", ("x", "bright_black"), "\x1b[90mx\x1b[0m"),
        ("color", ("x", "grey"), "\x1b[90mx\x1b[0m"),
        ("color", ("x", "bright_white"), "\x1b[97mx\x1b[0m"),
        ("color", ("x", "pink"), "x"),
        ("color", (), ""),
    ],
)
def test_colors(run, name, args, text):
    run.call("set_color_mode", "always")
    assert run.call(name, *args) == text
    run.call("set_color_mode", "never")
    assert "\x1b" not in run.call(name, *args)


@pytest.mark.parametrize(
    ("environment", "tty", "is_on"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, True),
    ],
)
def test_automatic_color(run, monkeypatch, environment, tty, is_on):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run.call("mock_tty", "stdout", tty)
    assert (run.call("bold", "x") != "x") is is_on


def test_color_mode_error(run):
    error = "set_color_mode: invalid mode 'on'. Expected 'auto', 'always', or 'never'."
    assert run.error("set_color_mode", "on") == error


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("build", "go"), "[build] go"),
        ((), "[] "),
        (("a", "b", 40), "[a] b (40%)"),
        (("a", "b", 4, 9), "[a] b (4/9)"),
        (("a", "b", 4, 9.5), "[a] b (4%)"),
        (("a", "b", 4.5, 9), "[a] b"),
        (("a", "b", True), "[a] b"),
        (("a", "b", {"mode": "spinner"}), "[a] | b"),
        (("a", "b", {"mode": "spinner", "step": 5}), "[a] / b"),
        (("a", "b", {"mode": "spinner", "current": 3}), "[a] \\ b"),
        (("a", "b", {"mode": "bar", "current": 4, "total": 10}), "[a] [####------] b (4/10)"),
        (("a", "b", {"mode": "bar", "current": 1, "total": 4, "width": 2}), "[a] [#--] b (1/4)"),
        (("a", "b", {"mode": "bar", "current": 9, "total": 4, "width": 3}), "[a] [###] b (9/4)"),
        (("a", "b", {"mode": "bar", "current": -1, "total": 4, "width": 3}), "[a] [---] b (-1/4)"),
        (("a", "b", {"mode": "bar", "current": 5}), "[a] [----------] b (5/0)"),
        (("a", "b", {"mode": "bar", "width": 99}), f"[a] [{'-' * 40}] b (0/0)"),
        (("a", "b", {"mode": "bar", "current": 1, "total": 20}), "[a] [#---------] b (1/20)"),
        (("a", "b", {"mode": "circle"}), "[a] b"),
        (("a", "b", {}), "[a] b"),
    ],
)
def test_progress(run, args, line):
    assert run.printed("progress", *args) == line + "\n"


def test_the_terminal_knows_every_color():
    assert len(terminal._CODES) == 18
