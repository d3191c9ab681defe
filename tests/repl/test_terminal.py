"""An interactive session on a pseudo-terminal."""

import os
import re
import select
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
fcntl = pytest.importorskip("fcntl")
pytestmark = pytest.mark.timed

ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07|[=>()][0-9A-Z]?)")
CTRL_C, CTRL_D, CTRL_R, ESCAPE = "\x03", "\x04", "\x12", "\x1b"


class Terminal:
    """A child on a terminal of its own."""

    def __init__(self, folder, *arguments, term="xterm-256color", **environment):
        import struct

        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {**os.environ, "TERM": term, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), **environment}
        env["PROMPT_TOOLKIT_NO_CPR"] = "1"  # nobody here says where the cursor is
        env.pop("NO_COLOR", None)

        def lead():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [sys.executable, "-m", "harnlite", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=env,
            preexec_fn=lead,  # noqa: PLW1509 - no other thread runs here
        )
        os.close(slave)
        self.raw = ""
        self.mark = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    @property
    def text(self):
        return ESCAPES.sub("", self.raw).replace("\r", "")

    def send(self, keys):
        os.write(self.master, keys.encode())

    def wait(self, wanted, seconds=30):
        """Read until a text has appeared since the last wait, and return what was read."""
        end = time.monotonic() + seconds
        while wanted not in self.text[self.mark :]:
            assert time.monotonic() < end, f"{wanted!r} not in {self.text[self.mark :]!r}, before: {self.text[-300:]!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    data = os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    data = ""
                self.raw += data
        begin, self.mark = self.mark, self.text.index(wanted, self.mark) + len(wanted)
        return self.text[begin : self.mark]

    def run(self, text, wanted, enter="\r"):
        """Run an input and wait until the next can be typed."""
        self.send(text + enter)
        found = self.wait(wanted)
        self.wait("harn>")
        time.sleep(0.05)
        return found

    def ends(self, seconds=30):
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.raw += os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    break
        return self.process.wait(timeout=60)


@pytest.fixture
def terminal(tmp_path):
    with Terminal(tmp_path) as found:
        found.wait("harn>")
        yield found


def test_without_arguments_a_session_begins(tmp_path):
    with Terminal(tmp_path) as terminal:
        assert "harnlite 0." in terminal.wait("harn>")
        terminal.run("6 * 7", "\n42\n")
        terminal.run("_ + 1", "\n43\n")
        terminal.send(CTRL_D)
        assert terminal.ends() == 0


def test_an_open_text_goes_on(terminal):
    terminal.send("fn f(x) {\r")
    terminal.wait("...")
    terminal.send("return x * 2\r}\r")
    terminal.run("f(21)", "\n42\n")


def test_ctrl_c_gives_up_the_line_and_stops_a_loop(terminal):
    terminal.send("fn half(")
    terminal.wait("half(")
    terminal.send(CTRL_C)
    terminal.wait("harn>")
    time.sleep(0.2)
    terminal.send("println(8); while true { }\r")
    terminal.wait("\n8\n")
    terminal.send(CTRL_C)
    terminal.wait("error: interrupted")
    terminal.run("1 + 1", "\n2\n")


def test_errors_keep_the_session(terminal):
    terminal.send("let a = 5\r")
    terminal.send("1 / 0\r")
    terminal.wait("Division by zero")
    terminal.run("a", "\n5\n")


def test_pasted_lines_run_as_one(terminal):
    terminal.send("\x1b[200~let p = 20\nlet q = 22\np + q\x1b[201~")
    time.sleep(0.3)
    terminal.run("", "\n42\n")


def test_a_paste_without_brackets_keeps_its_layout(terminal, tmp_path):
    code = "fn area(w, h) {\n  if w > 0 {\n    return w * h\n  }\n  return 0\n}\n"
    terminal.send(code.replace("\n", "\r"))
    time.sleep(1.5)
    terminal.run("area(6, 7)", "\n42\n")
    file = tmp_path / "session.harn"
    terminal.send(f":save {file}\r")
    terminal.wait("inputs written")
    assert file.read_text().startswith(code)


def test_names_are_completed(terminal):
    terminal.send("let elephant = 3\r")
    time.sleep(0.3)
    terminal.send("eleph")
    time.sleep(0.8)
    terminal.send("\t")
    time.sleep(0.4)
    terminal.send("\r")
    time.sleep(0.4)
    terminal.run("", "\n3\n")


def test_option_keys_are_offered_while_typing(terminal):
    terminal.send('agent_loop("x", nil, {')
    terminal.wait("max_iterations")


def test_history_is_found_again_in_the_next_session(tmp_path):
    for number in range(2):
        with Terminal(tmp_path) as terminal:
            terminal.wait("harn>")
            if number == 0:
                terminal.send("111 * 3\r")
            else:
                terminal.send(CTRL_R + "111")
                time.sleep(0.5)
                terminal.run("\r", "\n333\n")
            terminal.send(CTRL_D)
            assert terminal.ends() == 0
    path = tmp_path / "state" / "harnlite" / "repl_history"
    assert path.stat().st_mode & 0o777 == 0o600


def test_vi_keys(tmp_path):
    with Terminal(tmp_path, "repl", "--vi") as terminal:
        terminal.wait("harn>")
        terminal.send("10" + ESCAPE)
        time.sleep(0.8)
        terminal.send("x")
        time.sleep(0.2)
        terminal.run("A + 1", "\n2\n")
        terminal.send("20 + 2" + ESCAPE)
        time.sleep(0.7)
        terminal.run("", "\n22\n")


def test_long_values_are_paged(tmp_path):
    pager = f"{sys.executable} -c \"import sys; print('paged', len(sys.stdin.read()) > 2000)\""
    with Terminal(tmp_path, "repl", PAGER=pager) as terminal:
        terminal.wait("harn>")
        terminal.send("range(2000).to_list()\r")
        terminal.wait("paged True")
        terminal.run("1", "\n1\n")


def test_a_dumb_terminal_gets_no_escapes(tmp_path):
    with Terminal(tmp_path, term="dumb") as terminal:
        terminal.wait("harn>")
        terminal.send("fn f(x) {\n")
        terminal.wait("...")
        terminal.send("return x\n}\n")
        terminal.wait("harn>")
        terminal.run("f(42)", "\n42\n", enter="\n")
        terminal.send("println(8); while true { }\n")
        terminal.wait("\n8\n")
        terminal.send(CTRL_C)
        terminal.wait("interrupted")
        terminal.wait("harn>")
        terminal.send("no")
        terminal.wait("no")
        time.sleep(0.2)
        terminal.send(CTRL_C)
        terminal.wait("harn>")
        time.sleep(0.2)
        terminal.send("7\n")
        terminal.wait("\n7\n")
        assert "\x1b" not in terminal.raw
        terminal.send(CTRL_D)
        assert terminal.ends() == 0


def test_ctrl_c_stops_an_agent_and_the_session_keeps_its_state(terminal):
    terminal.run('llm_mock({text: "late", delay_ms: 60000}); 8', "\n8\n")
    terminal.send('println(9); agent_loop("x", nil, {provider: "mock", session_id: "a"}).text\r')
    terminal.wait("\n9\n")
    time.sleep(0.5)
    terminal.send(CTRL_C)
    terminal.wait("error: interrupted")
    terminal.wait("harn>")
    terminal.run('llm_mock_clear(); llm_mock({text: "soon"}); 10', "\n10\n")
    terminal.run('agent_loop("y", nil, {provider: "mock", session_id: "a"}).text', '\n"soon"\n')


def test_a_snippet_is_filled_in(terminal):
    terminal.send("pipeli")
    terminal.wait("pipeline …")
    time.sleep(0.3)
    terminal.send("\t\t")
    terminal.wait("pipeline main(task) {")
    terminal.send("\rstart")
    terminal.wait("start(task) {")


def test_an_unfinished_line_stays(terminal):
    terminal.run('print("half")', "\nhalf")


def test_an_older_input_of_several_lines_is_run_again(terminal):
    terminal.send("\x1b[200~let first = 20\nfirst + 22\x1b[201~")
    time.sleep(0.3)
    terminal.run("", "\n42\n")
    terminal.send(CTRL_R + "first =")
    time.sleep(0.5)
    terminal.run("\r", "\n42\n")


def test_exit_leaves_with_its_status(terminal):
    terminal.send("exit(3)\r")
    assert terminal.ends() == 3


def test_sigterm_leaves_a_clean_terminal(terminal):
    terminal.process.terminate()
    assert terminal.ends() == 143
    assert "Traceback" not in terminal.raw
