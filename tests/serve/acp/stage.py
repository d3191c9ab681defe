"""One server, its raw client and a late model, with the sequences that the scenarios of a session repeat."""

import contextlib
import os
import pathlib
import tempfile
import time
import typing
from collections.abc import Iterator, Mapping

from tests.serve.acp.late_model import Call, LateModel
from tests.serve.acp_client import PYTHON, AcpClient, Line, is_update

SCRIPT = str(pathlib.Path(__file__).with_name("stage.harn"))
Update = dict[str, typing.Any]
WAIT = 60.0
QUIET_ANSWERS = 8
ECHOES = ("user_message_chunk", "user_message")


def blocks(*texts: str) -> list[Update]:
    """Return a text block for each text."""
    return [{"type": "text", "text": text} for text in texts]


def text_of(content: object) -> str:
    """Return the text of a block, of a list of blocks, or of a text."""
    if isinstance(content, list):
        return "".join(map(text_of, content))
    return str(content.get("text", "")) if isinstance(content, dict) else str(content)


class Stage:
    """A running server with one client. The model is shared by all servers of a test."""

    def __init__(
        self,
        folder: os.PathLike[str] | str,
        model: LateModel,
        capabilities: Mapping[str, object] | None = None,
        *,
        store: str = ":memory:",
        script: str = SCRIPT,
        arguments: tuple[str, ...] = (),
        python: tuple[str, ...] = PYTHON,
    ) -> None:
        self.model = model
        self.cwd = os.fspath(folder)
        self.store = store
        environment = {**os.environ, **model.environment}
        self.client = AcpClient(
            script, store=store, environment=environment, folder=self.cwd, arguments=arguments, python=python
        )
        params = {"protocolVersion": 1, "clientCapabilities": dict(capabilities or {})}
        try:
            self.capabilities = self.client.request("initialize", params)["agentCapabilities"]
        except BaseException:
            self.client.__exit__()
            raise

    # --- requests

    def ask(self, method: str, **params: object) -> typing.Any:
        """Send a request and return its result."""
        return self.client.request(method, params, WAIT)

    def refused(self, method: str, **params: object) -> Update:
        """Send a request and return its error."""
        return self.client.error(method, params, WAIT)

    def send(self, method: str, **params: object) -> typing.Any:
        """Send a request without waiting for the reply; return its id."""
        return self.client.send_request(method, params)

    def tell(self, method: str, **params: object) -> None:
        """Send a notification."""
        self.client.notify(method, params)

    def reply(self, request: object, timeout: float = WAIT) -> Update:
        """Wait for the reply to a request."""
        return self.client.answer(request, timeout).message

    def sync(self) -> None:
        """Wait until the server has read everything sent so far."""
        self.client.sync()

    def stderr(self) -> list[str]:
        """Return the lines of stderr."""
        return self.client.stderr.splitlines()

    # --- sessions and turns

    def new(self, **params: object) -> str:
        """Open a session."""
        return self.client.new_session(self.cwd, **params)

    def load(self, session: str, **params: object) -> Update:
        """Load a session and return the reply."""
        request = self.send("session/load", **{"sessionId": session, "cwd": self.cwd, "mcpServers": [], **params})
        return self.reply(request)

    def replay(self, session: str) -> list[Update]:
        """Load a session and return the updates of the replay."""
        start = len(self.client.lines)
        reply = self.load(session)
        assert reply["result"] == {}
        lines = [(line.index, line.update) for line in self.client.lines[start:] if is_update(None, session)(line)]
        end = self.client.answer(reply["id"]).index
        return [update for index, update in lines if index < end]

    def prompt(self, session: str, text: str) -> typing.Any:
        """Send a prompt without waiting for its end; return the id of the request."""
        return self.client.start_prompt(session, text)

    def run(self, session: str, text: str, answer: str) -> Call:
        """Run a whole turn with one answer of the model; return the call."""
        prompt = self.prompt(session, text)
        call = self.call(session)
        call.answer(answer)
        assert self.reply(prompt)["result"] == {"stopReason": "end_turn"}
        return call

    def inject(self, session: str, text: str, mode: str) -> str:
        """Inject a message and return its id."""
        result = self.ask("session/inject", sessionId=session, mode=mode, content=blocks(text))
        assert list(result) == ["messageId"]
        return typing.cast("str", result["messageId"])

    def remind(self, session: str | None, body: str, **fields: object) -> str:
        """Inject a reminder and return its id."""
        address = {} if session is None else {"sessionId": session}
        result = self.ask("session/inject_reminder", **address, body=body, **fields)
        return typing.cast("str", result["reminderId"])

    def pending(self, session: str) -> list[Update]:
        """Return the rows of what waits."""
        result = self.ask("session/pending_injections", sessionId=session)
        assert result["pendingCount"] == len(result["injections"])
        assert [row["position"] for row in result["injections"]] == list(range(result["pendingCount"]))
        return typing.cast("list[Update]", result["injections"])

    def call(self, session: str, timeout: float = WAIT) -> Call:
        """Wait for the next model call of a session."""
        try:
            return self.model.call(session, timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.client.received()}\nstderr:\n{self.client.stderr}") from None

    @contextlib.contextmanager
    def slow_tool(self, session: str, text: str = "") -> Iterator[Call]:
        """Answer the next call with a tool, and let the tool end after the block."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "go")
            call = self.call(session)
            start = len(self.client.lines) - 1
            call.use("wait", path=path, text=text)
            self.client.wait_for(is_update("tool_call", session), after=start)
            time.sleep(0.05)
            yield call
            pathlib.Path(path).touch()
            self.client.wait_for(is_update("tool_call_update", session, status="completed"), after=start)

    def wait_turn(self, session: str, message: str) -> Update:
        """Wait for the end of the turn of a queued message; return the frame."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            for frame in self.frames(session):
                if frame["messageId"] == message and frame["state"] == "idle":
                    return frame
            time.sleep(0.005)
        raise AssertionError(f"the turn of {message} did not end:\n{self.client.received()}\n{self.client.stderr}")

    def settle(self, session: str, prompt: object = None) -> None:
        """Answer all model calls of a session until nothing runs and no message of a user waits."""
        end = time.monotonic() + WAIT
        quiet = 0  # counts answers of the server: it may stall for longer than any pause that a test can afford
        count = -1
        while time.monotonic() < end:
            call = self.model.waiting(session)
            if call is not None:
                call.answer("ok")
            is_busy = call is not None or (prompt is not None and not self._is_answered(prompt))
            arrived = len(self.lines(session))
            if is_busy or arrived != count or len(self.frames(session)) % 2 or self._has_messages(session):
                count, quiet = arrived, 0
            elif quiet == QUIET_ANSWERS:
                return
            else:
                quiet += 1
            time.sleep(0.005)
        raise AssertionError(f"the session did not settle:\n{self.client.received()}\n{self.client.stderr}")

    def _has_messages(self, session: str) -> bool:
        return any(row["kind"] == "user" for row in self.pending(session))

    def _is_answered(self, request: object) -> bool:
        return any(line.message.get("id") == request and "method" not in line.message for line in self.client.lines)

    # --- what arrived

    def arrivals(self, session: str) -> list[tuple[int, Update]]:
        """Return the updates of a session with their places among all lines."""
        lines = list(self.client.lines)
        return [(line.index, line.update) for line in lines if is_update(None, session)(line)]

    def lines(self, session: str) -> list[Update]:
        """Return the updates of a session."""
        return [update for _, update in self.arrivals(session)]

    def kinds(self, session: str) -> list[str]:
        """Return the kinds of the updates of a session."""
        return [update["sessionUpdate"] for update in self.lines(session)]

    def of_kind(self, session: str, *kinds: str) -> list[Update]:
        """Return the updates of some kinds."""
        return [update for update in self.lines(session) if update["sessionUpdate"] in kinds]

    def wait_update(self, session: str, kind: str, **fields: object) -> Line:
        """Wait for an update."""
        return self.client.wait_for(is_update(kind, session, **fields), WAIT)

    def echoes(self, session: str) -> list[tuple[str, str]]:
        """Return the ids and texts of the delivered messages; check that the lines of each echo belong together."""
        found: list[tuple[str, str]] = []
        group: list[Update] = []
        for update in self.lines(session):
            kind = update["sessionUpdate"]
            if kind == "user_message_chunk":
                assert not group or group[0]["messageId"] == update["messageId"], group
                group.append(update)
            elif kind == "user_message":
                assert [chunk["content"] for chunk in group] == update["content"]
                assert {chunk["messageId"] for chunk in group} == {update["messageId"]}
                found.append((update["messageId"], text_of(update["content"])))
                group = []
            else:
                assert not group, f"{kind} inside an echo"
        return found

    def frames(self, session: str) -> list[Update]:
        """Return the frames of the turns of queued messages."""
        updates = [update for update in self.lines(session) if update["sessionUpdate"] == "session_info_update"]
        metas = [update.get("_meta") or {} for update in updates]
        return [meta["harn"]["turn"] for meta in metas if "turn" in meta.get("harn", {})]

    def tokens(self, session: str) -> list[str]:
        """Return what happened in a session, one short text for each step."""
        found: list[str] = []
        for update in self.lines(session):
            kind = update["sessionUpdate"]
            turn = ((update.get("_meta") or {}).get("harn") or {}).get("turn")
            if kind == "session_info_update" and turn:
                found.append(f"{turn['state']} {turn['messageId']}")
            elif kind == "user_message":
                found.append(f"user {update['messageId']}")
            elif kind == "agent_message_chunk":
                found.append(update["content"]["text"])
        return found

    def script(self, session: str) -> list[str]:
        """Return the live conversation: `user: …` for echoes, the text of the model's answers."""
        return self.spoken(self.lines(session))

    @staticmethod
    def spoken(updates: list[Update]) -> list[str]:
        """Return the conversation in a list of updates, each answer in one piece."""
        found: list[str] = []
        last = None
        for update in updates:
            kind = update["sessionUpdate"]
            if kind == "user_message":
                found.append(f"user: {text_of(update['content'])}")
            elif kind == "agent_message_chunk":
                if last == update["messageId"]:
                    found[-1] += text_of(update["content"])
                else:
                    found.append(text_of(update["content"]))
                last = update["messageId"]
        return found

    def spoken_users(self, updates: list[Update]) -> list[str]:
        """Return the user messages in a list of updates."""
        return [line for line in self.spoken(updates) if line.startswith("user: ")]

    def arrival_of_reply(self, request: object) -> int:
        """Return the place of a reply among all lines."""
        return self.client.answer(request).index

    def arrival_of_echo(self, session: str, message: str) -> int:
        """Return the place of the first line of an echo among all lines."""
        return next(
            index
            for index, update in self.arrivals(session)
            if update["sessionUpdate"] in ECHOES and update["messageId"] == message
        )

    # --- the end

    def kill(self) -> None:
        """Kill the server as `kill -9` does, and close the pipes."""
        self.client.kill()
        self.client.__exit__()

    def close(self) -> None:
        """End the server and check that nothing but JSON lines was on stdout."""
        self.client.__exit__()
        assert not self.client.garbage
