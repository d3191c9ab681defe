"""Generated scenarios for agent loops: the answers of the model, and the actions of a script in callbacks."""

from __future__ import annotations

from hypothesis import strategies as st

SESSIONS = ["a", "b"]
KEYS, MODES = ["k1", "k2"], ["interrupt_immediate", "finish_step", "audit_only"]
HINTS = ["system", "developer", "user_block", "ephemeral_cache"]
SEAMS = ["iteration_start", "pre_tool_dispatch", "post_tool_dispatch", "iteration_end", "pre_compact", "loop_exit"]
EVENTS = ["session_start", "post_tool_use", "on_budget_threshold", "post_agent_turn", "post_compact"]
OWN = ["p0", "p1"]
AUDIT, BLIND = "audit", "blind"
JUNK = [5, "text", {"block": 3}, [7], {"reminder": {"body": ""}}, {"body": "x", "tll_turns": 1}, True, False]
HOOKS = ["user_prompt_submit", "session_start", "session_end", "post_turn", "pre_compact", "post_compact"]
CALL = "<tool_call>work({})</tool_call>"
OFF = ["token_pressure", "idle_nudge", "tool_output_truncated", "project_facts", "workspace_anchor", "grounded_review"]

# What would hide from the ledger when the reminders age.
LEFT_OUT = {"callback": ("compact", "loop", "delegate", "ask"), "compactor": ("compact",)}


class Draw:
    """Draws the parts of one scenario; reminders are numbered, so that each is known by its body and its tag."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.count = 0

    def one(self, choices: list) -> object:
        return self._draw(st.sampled_from(choices))

    def number(self, least: int, most: int) -> int:
        return self._draw(st.integers(least, most))

    def chance(self, most: int) -> bool:
        return self._draw(st.integers(0, most)) == most

    def spec(self) -> dict:
        """Return the options of a reminder."""
        self.count += 1
        name = f"R{self.count:03}!"
        spec = {"body": name, "tags": [name]}
        choices = {
            "ttl_turns": [None, 1, 1, 2, 3],
            "dedupe_key": [None, *KEYS],
            "preserve_on_compact": [False, True],
            "propagate": ["all", "session", "none"],
            "role_hint": ["system", *HINTS],
        }
        for key, values in choices.items():
            value = self.one([None, *values])
            if value is not None:
                spec[key] = value
        return spec

    def pushed(self) -> dict:
        mode = self.one(MODES)
        spec = self.spec()
        return {**spec, "mode": mode, "tags": [*spec["tags"], AUDIT] if mode == AUDIT + "_only" else spec["tags"]}

    def action(self, *, inside: bool) -> dict:
        """Return something that a script does, inside a loop or outside."""
        action: dict = {"act": self.one(["inject", "push", "push", "say", "revoke", "spoil", "feedback", "ask"])}
        if self.chance(4):
            action = {"act": self.one(["drain", "fork", "compact", "loop", "delegate", "delegate", "throw"])}
        if self.chance(3) or not inside:
            action["session"] = self.one(SESSIONS)
        match action["act"]:
            case "inject":
                action["spec"] = self.spec()
            case "push":
                action["spec"] = self.pushed()
            case "say":
                action["mode"] = self.one(MODES)
            case "drain":
                action["mode"] = self.one(MODES[:2])
            case "revoke":
                action["number"] = self.number(0, 5)
            case "spoil":
                self.count += 1
                body = f"R{self.count:03}!"
                action["reminder"] = self.one([{}, {"body": body}, {"id": body, "body": body, "source": "hook"}, 5])
            case "fork":
                action["into"] = f"f{self.number(0, 2)}"
            case "compact":
                action["options"] = {}
            case "loop" | "delegate":
                action |= {**self.loop(), "act": action["act"]}
        return action

    def loop(self) -> dict:
        removed = [] if self.chance(4) else ["-" + name for name in OFF]
        return {
            "act": "loop",
            "max_iterations": self.number(1, 5),
            "loop_until_done": self.chance(1),
            "compaction": self.chance(2),
            "reminders": False if self.chance(9) else removed,
        }

    def visit(self, place: str) -> dict | None:
        """Return what one call of a place does and gives."""
        acts = [self.action(inside=True) for _ in range(self.number(0, 2))]
        acts = [action for action in acts if action["act"] not in LEFT_OUT.get(place, ())]
        return {"acts": acts, "gives": self.gift(place)}

    def gift(self, place: str) -> object:
        if place in ("tool", "callback", "compactor"):
            return self.one([None, "text"])
        if self.chance(19):
            return self.one(JUNK)
        return self.one([None, self.spec(), {"reminder": self.spec()}, [self.spec(), {"reminder": self.spec()}]])

    def some(self, choices: list, least: int, most: int) -> list:
        return self._draw(st.lists(st.sampled_from(choices), min_size=least, max_size=most, unique=True))

    def reply(self, tool_format: str) -> dict:
        kind = self.one(["tool", "tool", "tools", "text", "text", "done", "transient", "fatal"])
        if kind in ("transient", "fatal"):
            return {"error": {"category": {"transient": "overloaded", "fatal": "auth"}[kind], "message": "no"}}
        calls = {"tool": 1, "tools": 2}.get(kind, 0)
        if tool_format == "native" and calls:
            return {"tool_calls": [{"name": "work", "arguments": {}}] * calls}
        return {"text": "\n".join([CALL] * calls) or ("<done>##DONE##</done>" if kind == "done" else "words")}

    def scenario(self) -> dict:
        model = self.one(["mock", BLIND, "claude-sonnet-4", "o3-mini", "gpt-4o", "gemini-2.5-pro"])
        tool_format = "text" if model in ("mock", BLIND) else self.one(["text", "native"])
        places = ["tool", "pre_tool", "post_tool", "callback", "compactor", *OWN, *HOOKS, *(f"seam_{s}" for s in SEAMS)]
        return {
            "model": model,
            "tool_format": tool_format,
            "reminder_providers": [{"id": name, "events": self.some(EVENTS, 1, 2)} for name in OWN],
            "replies": [self.reply(tool_format) for _ in range(self.number(0, 12))],
            "places": {
                place: [self.visit(place) for _ in range(self.number(1, 3))] for place in self.some(places, 0, 6)
            },
            "steps": [
                self.loop() | {"session": self.one(SESSIONS)} if self.chance(1) else self.action(inside=False)
                for _ in range(self.number(1, 6))
            ],
        }


@st.composite
def scenarios(draw: st.DrawFn) -> dict:
    """Draw a scenario."""
    return Draw(draw).scenario()
