"""The response time of the language server in a file of 5,000 lines, with a keystroke before each request."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.bench.front_end import PIECE

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

LINES = 5_000
ROUNDS = 9
URI = "file:///nowhere/big.harn"


class Editor:
    """A bare client: frames in, frames out."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "harnlite", "lsp"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.version = 0
        self.asked = 0

    def __enter__(self) -> Self:
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()

    def tell(self, method: str, params: object, **more: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def heard(self) -> dict:
        size = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                raise EOFError
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(size))

    def ask(self, method: str, params: object) -> object:
        self.asked += 1
        self.tell(method, params, id=self.asked)
        while (message := self.heard()).get("id") != self.asked:
            pass
        return message.get("result")

    def open(self, text: str) -> None:
        self.version += 1
        item = {"uri": URI, "languageId": "harn", "version": self.version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        self.wait_for_report()

    def type(self, line: int, column: int, text: str) -> None:
        self.version += 1
        place = {"line": line, "character": column}
        self.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": URI, "version": self.version},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": text}],
            },
        )

    def wait_for_report(self) -> None:
        while True:
            message = self.heard()
            is_report = message.get("method") == "textDocument/publishDiagnostics"
            if is_report and message["params"].get("version") == self.version:
                return


def latencies() -> dict[str, float]:
    """Return milliseconds from a keystroke to the report, and from one to the answer of a question asked after it."""
    found = {}
    for kind, (text, line) in {"functions": _functions(), "a pipeline": _pipeline()}.items():
        for what, waited in _latencies_in(text, line).items():
            found[f"{what}, {kind}"] = waited
    return found


def _latencies_in(text: str, line: int) -> dict[str, float]:
    name = {"textDocument": {"uri": URI}}
    with Editor() as editor:
        editor.open(text)
        size = 0

        def press() -> None:
            nonlocal size
            size += 1
            editor.type(line, 0, " ")

        def ask(method: str) -> object:
            position = {"line": line, "character": _name_in(text, line) + size}
            return editor.ask(f"textDocument/{method}", {**name, "position": position})

        def ask_for_tokens() -> None:
            nonlocal painted
            given = {**name, "previousResultId": painted}
            painted = editor.ask("textDocument/semanticTokens/full/delta", given)["resultId"]

        painted = editor.ask("textDocument/semanticTokens/full", name)["resultId"]
        return {
            "report": _median(lambda: (press(), editor.wait_for_report())),
            "hover": _median(press, lambda: ask("hover")),
            "completion": _median(press, lambda: ask("completion")),
            "signature": _median(press, lambda: ask("signatureHelp")),
            "highlights": _median(press, lambda: ask("documentHighlight")),
            "semantic tokens": _median(press, ask_for_tokens),
        }


def opening(size: int = 400_000) -> float:
    """Return the milliseconds from opening a long file to the report on it."""
    piece = len(PIECE.format(i=100))
    text = "".join(PIECE.format(i=100 + i) for i in range(size // piece))
    with Editor() as editor:
        start = time.perf_counter()
        editor.open(text)
        return (time.perf_counter() - start) * 1000


def _name_in(text: str, line: int) -> int:
    """Return a column in the name of a variable that is read in a line."""
    row = text.split("\n")[line]
    return max(row.find("total"), row.find("${value") + len("${")) + 2


def _functions() -> tuple[str, int]:
    """Return a text of many small functions, and a line in the middle of it."""
    per_piece = PIECE.count("\n")
    pieces = LINES // per_piece
    rows = PIECE.split("\n")
    line = next(number for number, row in enumerate(rows) if row.startswith("  let s = S"))
    return "".join(PIECE.format(i=i) for i in range(pieces)), pieces // 2 * per_piece + line


def _pipeline() -> tuple[str, int]:
    """Return a text that is a single pipeline, and a line in the middle of it."""
    steps = (
        f'  let value{i} = {{step: {i}}}\n  println("step ${{value{i}.step}} is done")\n' for i in range(LINES // 2)
    )
    return f"pipeline main(task) {{\n{''.join(steps)}}}\n", LINES // 2


def _median(*steps: Callable[[], object]) -> float:
    """Return the usual time of the last of some steps, in milliseconds."""
    times: list[float] = []
    for _ in range(ROUNDS):
        for step in steps:
            start = time.perf_counter()
            step()
        times.append(time.perf_counter() - start)
        time.sleep(0.3)
    return sorted(times)[len(times) // 2] * 1000
