"""A session of an agent with a clock of its own, whose calls are answered without processes and files."""

from __future__ import annotations

from harnlite.agent_hooks.rule_runs import respond
from harnlite.agent_hooks.rule_sets import RuleSet
from harnlite.agent_hooks.session_state import ActorState, SessionState
from harnlite.runtime.tasks.clock import Clock
from tests.agent_hooks.core.claude_format import FORMAT


class StepClock(Clock):
    """A clock that the test moves."""

    def __init__(self, start: float = 1_000_000.0) -> None:
        self.time = start

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


class AgentSession:
    """A session: each call is a minute after the one before, and gets its own ids unless the test gives them."""

    def __init__(self, text: str, form=FORMAT, *, session: str = "s1", **rules) -> None:
        self.rules = RuleSet(text=text, **rules)
        self.state = SessionState()
        self.clock = StepClock()
        self.form = form
        self.session = session
        self.count = 0

    def reply(self, native: str, *, after: float = 60.0, **data):
        """Return the reply to a call."""
        self.clock.time += after
        self.count += 1
        named = {"session_id": self.session, "cwd": "/project", "hook_event_name": native}
        if native == "UserPromptSubmit":
            named |= {"prompt": f"prompt {self.count}", "prompt_id": f"p{self.count}"}
        if "ToolUse" in native:
            named |= {"tool_use_id": f"t{self.count}", "tool_name": "Read", "tool_input": {}}
        call = self.form.read({**named, **data}, native, {})
        # What is stored between two calls is JSON.
        self.state.actors = {name: _stored(actor) for name, actor in self.state.actors.items()}
        return self.answer(call)

    def answer(self, call):
        """Return the reply of the rules to a call."""
        return respond(self.rules, call, self.state, form=self.form, clock=self.clock)

    def say(self, native: str, **data) -> str:
        """Return the text for the model; the rules must not fail."""
        reply = self.reply(native, **data)
        assert not reply.error, reply.error
        return reply.speech.context

    def prompt(self, **data) -> str:
        """Return the text at a prompt of the user."""
        return self.say("UserPromptSubmit", **data)

    def tool(self, **data) -> str:
        """Return the text after a tool call."""
        return self.say("PostToolUse", **data)


def _stored(actor: ActorState) -> ActorState:
    from harnlite.agent_hooks.calls.json_text import read_object, written

    return ActorState.from_fields(read_object(written(actor.fields()).encode()))


def hook(event: str, body: str, **options) -> str:
    """Return the text of a session hook that makes a reminder."""
    fields = ", ".join([f'body: "{body}"', *(f"{name}: {_literal(value)}" for name, value in options.items())])
    return f'register_session_hook("{event}", {{ ctx -> {{reminder: {{{fields}}}}} }})\n'


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
