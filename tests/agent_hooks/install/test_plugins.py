"""The plugins: their manifests and hooks by strict schemas, and the plugin of opencode with a host that is not real."""

import json
import re
import shutil
import stat
import subprocess
import sys

import jsonschema
import pytest

from harnlite.agent_hooks.formats.table import format_of
from harnlite.agent_hooks.install.agent_files import AGENT_FILES
from harnlite.agent_hooks.install.agent_scripts import plugin_events, plugin_text, plugin_words
from harnlite.agent_hooks.install.plugin_folders import build_plugins

NAME = {"type": "string", "pattern": "^[a-z0-9-]+$"}
VERSION = {"type": "string", "pattern": r"^\d+\.\d+\.\d+"}
TEXT = {"type": "string", "minLength": 1}


def record(required, **optional):
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def hooks_schema(events, timeout, **more):
    handler = record({"type": {"const": "command"}, "command": TEXT, "timeout": {"const": timeout}}, **more)
    group = record({"hooks": {"type": "array", "items": handler, "minItems": 1}}, matcher={"type": "string"})
    groups = {"type": "array", "items": group, "minItems": 1}
    return record({"hooks": record({}, **dict.fromkeys(events, groups))}, description=TEXT)


CLAUDE_EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolBatch",
    "Stop",
    "SubagentStart",
    "SubagentStop",
]
GEMINI_EVENTS = ["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "BeforeTool", "AfterAgent"]
AUTHOR = record({"name": TEXT})
SCHEMAS = {
    "claude-code/.claude-plugin/plugin.json": record(
        {"name": NAME, "version": VERSION, "description": TEXT},
        author=AUTHOR,
        license=TEXT,
        keywords={"type": "array", "items": TEXT},
    ),
    "claude-code/hooks/hooks.json": hooks_schema(CLAUDE_EVENTS, 5),
    "gemini/gemini-extension.json": record({"name": NAME, "version": VERSION}, description=TEXT),
    "gemini/hooks/hooks.json": hooks_schema(GEMINI_EVENTS, 5000, name=TEXT),
    "opencode/package.json": record(
        {"name": NAME, "version": VERSION, "type": {"const": "module"}, "main": {"const": "harnlite.js"}},
        description=TEXT,
        license=TEXT,
    ),
    ".claude-plugin/marketplace.json": record(
        {
            "name": NAME,
            "owner": AUTHOR,
            "metadata": record({"description": TEXT}),
            "plugins": {
                "type": "array",
                "items": record({"name": NAME, "source": {"const": "./claude-code"}}, description=TEXT),
            },
        }
    ),
}


@pytest.mark.parametrize("rules", [("after-compact", "context"), ("secrets",)])
def test_the_files_have_their_schemas(tmp_path, rules):
    written = build_plugins(str(tmp_path), rules)
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {str(tmp_path / name) for name in found} == set(written)
    assert found == {
        *SCHEMAS,
        "opencode/harnlite.js",
        *(f"{one}/README.md" for one in ("claude-code", "gemini", "opencode")),
    }
    for name, schema in SCHEMAS.items():
        jsonschema.validate(json.loads((tmp_path / name).read_text()), schema)
    for name in ("claude-code", "gemini"):
        hooks = json.loads((tmp_path / name / "hooks" / "hooks.json").read_text())["hooks"]
        assert set(hooks) <= set(format_of(name).events)
        for event, groups in hooks.items():
            command = groups[0]["hooks"][0]["command"]
            assert command.startswith(f"harnlite hook --agent {name} --rules {','.join(rules)} --sandbox ")
            assert command.endswith(f" {event} || exit 0")
        assert ("PreToolUse" in hooks or "BeforeTool" in hooks) == (rules == ("secrets",))


def test_plugins_do_nothing_where_harnlite_is_missing(tmp_path):
    build_plugins(str(tmp_path))
    hooks = json.loads((tmp_path / "gemini/hooks/hooks.json").read_text())["hooks"]
    command = hooks["AfterTool"][0]["hooks"][0]["command"]
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False, env={"PATH": "/nowhere"})
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_plugin_contains_its_command_and_events():
    command = ["/a b/python", "it's", 'a "quoted" word', "ü"]
    text = plugin_text(command, ["chat.message"])
    assert plugin_words(text) == command
    assert plugin_events(text) == ["chat.message"]


def test_the_plugin_has_a_handler_for_each_event():
    text = plugin_text([], [])
    files = AGENT_FILES["opencode"]
    for event in [*files.events, *files.optional]:
        assert re.search(rf'^ {{4}}"{re.escape(event)}":', text, re.MULTILINE), event
    assert {*files.events, *files.optional} == set(format_of("opencode").events)


SAYS = 'register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: "from a rule"}} })'
NODE = shutil.which("node")
HOST = """
import { HarnlitePlugin } from "./harnlite.js";
const hooks = await HarnlitePlugin({ directory: process.cwd() });
const event = (type, properties) => hooks.event({ event: { type, properties } });
await event("session.created", { info: { id: "ses_1" } });
await event("session.created", { info: { id: "ses_2", parentID: "ses_1", title: "Look" } });
await hooks["chat.params"]({ sessionID: "ses_1", model: { limit: { context: 1000 } } }, {});
await event("message.updated", { info: { role: "assistant", sessionID: "ses_1", tokens: { input: 7, output: 1 } } });
const message = { message: { id: "msg_1", sessionID: "ses_1" }, parts: [
  { id: "prt_1", type: "text", text: "Fix it." }, { id: "prt_2", type: "text", text: "old", synthetic: true }] };
await hooks["chat.message"]({ sessionID: "ses_1", model: { providerID: "p", modelID: "m" } }, message);
let refused = "";
const args = { args: { command: "rm" } };
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_2", callID: "c1" }, args)
  .catch((error) => { refused = error.message; });
const result = { title: "", output: "done", metadata: {} };
await hooks["tool.execute.after"]({ tool: "edit", sessionID: "ses_1", callID: "c2", args: { filePath: "/a" } }, result);
const compacting = { context: [] };
await hooks["experimental.session.compacting"]({ sessionID: "ses_1" }, compacting);
await event("session.compacted", { sessionID: "ses_1" });
await event("file.edited", { file: "/a" });
await event("session.idle", { sessionID: "ses_1" });
await event("session.deleted", { info: { id: "ses_2" } });
await event("unknown", {});
await hooks.event({});
await hooks["chat.message"]({ sessionID: "ses_1" }, message); // waits for what came before
await new Promise((done) => setTimeout(done, 300));
console.log(JSON.stringify({ parts: message.parts, refused, output: result.output, context: compacting.context }));
"""
ANSWERING = """
import json, sys
data = json.load(sys.stdin)
event = sys.argv[-1]
assert data["agent"] == "opencode" and data["event"] == event, data
with open("calls.jsonl", "a") as file:
    file.write(json.dumps({"argv": sys.argv[1:], **data}) + "\\n")
answer = {"tool.execute.before": {"deny": "not that"}}.get(event, {"context": f"about {event}"})
print(json.dumps(answer))
"""
PATIENCE = "PATIENCE_MS = 5000;"
"""The time limit of the plugin; the tests have a longer one, because the machine may be busy."""
BAD = {
    "missing": ["/nowhere/python"],
    "fails": [sys.executable, "-c", "raise SystemExit(3)"],
    "garbage": [sys.executable, "-c", "print('{')"],
    "a list": [sys.executable, "-c", "print('[1]')"],
    "null": [sys.executable, "-c", "print('null')"],
    "wrong types": [sys.executable, "-c", 'print(\'{"context": 1, "deny": [2]}\')'],
    "does not read": [sys.executable, "-c", "import os; os.close(0)"],
}


def run_plugin(folder, command):
    files = AGENT_FILES["opencode"]
    text = plugin_text(command, [*files.events, *files.optional])
    assert PATIENCE in text
    (folder / "harnlite.js").write_text(text.replace(PATIENCE, "PATIENCE_MS = 60000;"))
    (folder / "host.mjs").write_text(HOST)
    (folder / "package.json").write_text('{"type": "module"}')
    done = subprocess.run([NODE, "host.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_the_plugin_reports_events_and_applies_answers(tmp_path):
    (tmp_path / "answering.py").write_text(ANSWERING)
    found = run_plugin(tmp_path, [sys.executable, "answering.py"])
    assert found["refused"] == "not that"
    assert found["output"] == "done\n\nabout tool.execute.after"
    assert found["context"] == ["about experimental.session.compacting"]
    added = found["parts"][2]
    assert added.pop("id").startswith("prt_2")
    assert added == {
        "sessionID": "ses_1",
        "messageID": "msg_1",
        "type": "text",
        "text": "about chat.message",
        "synthetic": True,
    }
    calls = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    first = [call["event"] for call in calls if call["session_id"] == "ses_1"]
    assert first == [
        *("session.created", "chat.message", "tool.execute.after", "experimental.session.compacting"),
        *("session.compacted", "file.edited", "session.idle", "chat.message"),
    ]
    known = {(call["event"], call["session_id"]): call for call in reversed(calls)}
    message = known["chat.message", "ses_1"]
    assert (message["prompt"], message["message_id"], message["model"]) == ("Fix it.", "msg_1", "m")
    assert (message["window"], message["tokens"]) == (1000, {"input": 7, "output": 1})
    assert message["cwd"] == str(tmp_path)
    assert "tokens" not in known["session.idle", "ses_1"]
    assert known["file.edited", "ses_1"]["path"] == "/a"
    assert known["session.created", "ses_2"]["parent_id"] == "ses_1"
    before = known["tool.execute.before", "ses_2"]
    assert (before["tool"], before["call_id"], before["args"]) == ("bash", "c1", {"command": "rm"})
    assert before["parent_id"] == "ses_1"
    for call in calls:
        read = format_of("opencode").read(call, call["event"], {})
        assert read.event
        assert read.session == "ses_1"


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize("command", BAD)
def test_whatever_fails_opencode_continues(tmp_path, command):
    found = run_plugin(tmp_path, BAD[command])
    assert len(found["parts"]) == 2
    assert (found["refused"], found["output"], found["context"]) == ("", "done", [])


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.usefixtures("patient_start")
def test_the_installed_plugin_calls_harnlite(user, tmp_path):
    rules = user.script(SAYS)
    user.install("opencode", "user", "--script", rules)
    text = user.path("opencode").read_text()
    found = run_plugin(tmp_path, plugin_words(text))
    assert stat.S_IMODE(user.path("opencode").stat().st_mode) == 0o644
    assert found["parts"][2]["synthetic"] is True
    assert "from a rule" in found["parts"][2]["text"]
