"""`harnlite schema`: each schema accepts the data that the tools read and write, and rejects what the code rejects."""

import itertools
import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from harnlite.agent.loop.state.loop_options import read_options
from harnlite.analysis.linting.configuration_files import ConfigurationError, read_project_file
from harnlite.docs.json_schemas import SCHEMAS, schema_of
from harnlite.llm.mock_entries import MockEntry
from harnlite.reminders.spec import ReminderSpec, spec_from_payload
from harnlite.reminders.wire import BRIDGE, PIPELINE, SPELLINGS, check_reminder
from harnlite.resources import folder
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import type_name
from harnlite.values.errors import ScriptError
from tests.commands import run_command

TEMPLATES = Path(folder("templates"))
VALUES = [
    None,
    True,
    0,
    1,
    -1,
    2.5,
    "x",
    " ",
    "all",
    "user_block",
    "steer",
    "bridge",
    [],
    ["a"],
    [" "],
    [1],
    {},
    "y" * 129,
]
REMINDER = {"id": "r", "body": "b", "tags": ["t"], "dedupe_key": "k", "ttl_turns": 2, "originating_agent_id": "a"}


def accepts(name, value):
    return jsonschema.Draft202012Validator(schema_of(name)).is_valid(value)


def call(*arguments, stdin="", cwd=None):
    return run_command(*arguments, stdin=stdin, cwd=cwd)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name):
    schema = schema_of(name)
    assert schema["$schema"].endswith("2020-12/schema")
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_command_lists_and_prints_them():
    assert [line.split()[0] for line in call("schema").stdout.splitlines()] == list(SCHEMAS)
    assert json.loads(call("schema", "reminder").stdout) == schema_of("reminder")
    wrong = call("schema", "remider")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.endswith("there is no schema 'remider'. Did you mean 'reminder'?\n")


@pytest.mark.parametrize(("name", "producer"), [("reminder", PIPELINE), ("bridge-reminder", BRIDGE)])
def test_reminders_are_judged_as_by_their_reader(name, producer):
    def is_right(value):
        return not check_reminder(value, type_name, producer)[1]

    spellings = SPELLINGS if producer.is_host else {}
    for field, value in itertools.product([*producer.readers, "boddy", "sessionId", "content"], VALUES):
        for key in {field, spellings.get(field, field)}:
            given = {"body": "b", key: value}
            if field == "sessionId" or (value in ("", " ") and field != "body"):
                continue  # where it goes is not read here, and blank texts stand for nothing
            assert accepts(name, given) == is_right(given), given
            if producer.is_host and field not in ("mode", "_meta"):
                assert accepts(name, {"reminder": given, "mode": "queue"}) == is_right({"reminder": given}), given
    assert not accepts(name, {})
    assert not accepts(name, [])


def test_a_bridge_reminder_may_have_an_address_and_hints():
    assert accepts("bridge-reminder", {"sessionId": "s", "body": "b", "ttlTurns": 1, "_meta": {"mine": 1}})
    assert accepts("bridge-reminder", {"_meta": {"harn": {"reminder": {"body": "b"}}}})
    assert not accepts("bridge-reminder", {"sessionId": "s", "reminder": {"body": "b"}, "ttlTurns": 1})
    assert not accepts("bridge-reminder", {"sessionId": 1, "body": "b"})


def test_reminder_events():
    event = ReminderSpec(**{**REMINDER, "tags": ("t",)}).event()
    assert accepts("reminder-event", event)
    assert accepts("reminder-event", ReminderSpec(id="r", body="b").event("e", "internal"))
    assert not accepts("reminder-event", {**event, "kind": "message"})
    for key, value in itertools.product(event["reminder"], VALUES):
        payload = {**event["reminder"], key: value}
        if value is not None:
            assert accepts("reminder-event", {**event, "reminder": payload}) == (spec_from_payload(payload) is not None)


@pytest.mark.parametrize(
    "text",
    [
        *(path.read_text().replace("PROJECT", "x") for path in TEMPLATES.rglob("harn.toml")),
        '[lint]\nselect = ["ALL"]\nmax-warnings = 3\nformat = "sarif"\nper-file-ignores = {"a/**" = ["HARN-RMD"]}\n',
        '[test]\npaths = ["a"]\ncov_min = 80.5\njobs = 2\n',
        '[llm.models.mine]\ncontext_window = 1000\n[asset_roots]\na = "b"\n[skills]\npaths = ["s"]\n',
        '[[hooks]]\nevent = "PostToolUse"\nhandler = "hooks.harn::after"\n',
        '[[capabilities.provider.mine]]\nmodel_match = "x*"\nprefers_role_developer = true\nversion_min = [4, 5]\n',
        "lintt = 1\n",
        "[lint]\nselct = []\n",
        "[lint]\nselect = 1\n",
        "[lint]\nmax_warnings = -1\n",
        '[lint]\nformat = "xml"\n',
        "[test]\ntimeout = 0\n",
        "[test]\ncov_min = 101\n",
        "[test]\nparallel = 1\n",
        "[test]\ntest-paths = []\n",
        "test = 1\n",
    ],
)
def test_configurations_are_judged_as_by_their_reader(text, tmp_path):
    path = tmp_path / "harn.toml"
    path.write_text(text)
    try:
        read_project_file(str(path))
    except ConfigurationError:
        is_right = False
    else:
        is_right = True
    assert accepts("configuration", tomllib.loads(text)) == is_right


def test_reports(tmp_path):
    (tmp_path / "harn.toml").write_text("")
    program = 'import { gone } from "std/math"\nlet x = 1\nprintln(x == x)\nprintln(lenn(x))\nlet unused = 2\n'
    for command in (["lint", "-"], ["check", "-"], ["run", "-"]):
        done = call(*command, "--format", "json", stdin=program, cwd=tmp_path)
        report = json.loads(done.stdout or done.stderr)
        assert report
        jsonschema.validate(report, schema_of("report"), jsonschema.Draft202012Validator)
        assert not accepts("report", [{**report[0], "more": 1}])
        assert not accepts("report", [{**report[0], "severity": "bad"}])
    thrown = call("run", "-c", "fn f(n) { return n > 40 ? 1 / 0 : 1 + f(n + 1) }\nf(0)", "--format", "json")
    report = json.loads(thrown.stderr)
    assert report[0]["calls"]
    assert accepts("report", report)


def test_event_records(tmp_path):
    program = 'event_log.emit("a", "b", {n: 1})\ntranscript.inject_reminder(transcript(), {body: "x"})\n'
    assert call("run", "-", "--events", "log.jsonl", stdin=program, cwd=tmp_path).returncode == 0
    records = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert len(records) > 1
    for record in records:
        assert accepts("event-record", record)
        assert not accepts("event-record", {**record, "id": 0})
        assert not accepts("event-record", {key: value for key, value in record.items() if key != "topic"})


def test_answers_of_the_templates():
    lines = [line for path in TEMPLATES.rglob("answers.jsonl") for line in path.read_text().splitlines()]
    assert lines
    for line in lines:
        assert accepts("answer", json.loads(line)), line


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "hello", "input_tokens": 3, "match": "*x*", "consume_match": True},
        {"tool_calls": [{"name": "f", "arguments": {"a": 1}}]},
        {"error": "boom"},
        {"error": {"category": "rate_limit", "retry_after_ms": 5}},
        {"error": {"status": 503, "message": "x"}},
        {"error": {"category": "nope"}},
        {"error": {"status": 99}},
        {"error": {"message": "x"}},
        {"error": {"kind": "x"}},
        {"error": {"status": 500, "retry_after_ms": -1}},
        {"error": 5},
        {"blocks": [1]},
    ],
)
def test_answers_are_judged_as_by_their_reader(answer):
    try:
        MockEntry(answer)
    except ScriptError:
        assert not accepts("answer", answer)
    else:
        assert accepts("answer", answer)


@pytest.mark.parametrize(
    "options",
    [
        {"max_iterations": 3, "profile": "verifier", "temperature": 0.5, "tools": None},
        {
            "reminders": {
                "providers": ["-idle_nudge", "token_pressure"],
                "config": {"token_pressure": {"context_window": 9}},
            }
        },
        {"reminders": False, "done_judge": True, "iteration_budget": "adaptive", "max_nudges": 0},
        {"reminders": ["-idle_nudge", "token_pressure"], "iteration_budget": {"mode": "fixed", "max": 3}},
        {"max_iterations": 0},
        {"max_iterations": "3"},
        {"profile": "nope"},
        {"reminders": 3},
        {"reminders": {"providers": [1]}},
        {"reminders": {"providers": "x"}},
        {"done_judge": "x"},
        {"iteration_budget": 3},
        {"iteration_budget": {"mode": "x"}},
        {"max_concurrent_tools": 0},
        {"max_concurrent_tools": "x"},
        {"permissions": 1},
        {"approval_policy": []},
    ],
)
def test_loop_options_are_judged_as_by_their_reader(options):
    try:
        read_options(Execution(), dict(options))
    except ScriptError:
        assert not accepts("agent-loop-options", options)
    else:
        assert accepts("agent-loop-options", options)
