"""`harnlite hook replay`: the table, JSON, the page, comparisons and errors."""

import io
import json
import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from harnlite.agent_hooks.replay.player import Player
from harnlite.agent_hooks.replay.recorded_sessions import RecordedSession
from harnlite.agent_hooks.rule_sets import RuleSet
from harnlite.agent_hooks.starter_rules import STARTER_RULES, allowed_to
from harnlite.cli.hook_replay import command
from tests.agent_hooks.replay.recordings import FILES, FOLDER

ALL = ",".join(STARTER_RULES)
ENGINE = {"sandbox": True, "allow": tuple(allowed_to(STARTER_RULES)), "deadline": 60.0}


def replay(*arguments, status=0, stdin=None):
    """Return stdout of the command, and its stderr."""
    result = CliRunner().invoke(command, [str(one) for one in arguments], input=stdin)
    assert result.exit_code == status, (result.output, result.exception)
    return result.stdout, result.stderr


@pytest.fixture
def project(tmp_path):
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    return tmp_path


@pytest.mark.parametrize("agent", FILES)
def test_the_table_of_all_starter_rules(agent, project, request):
    shown, _ = replay(FILES[agent], "--rules", ALL, "--folder", project)
    golden = FOLDER / f"{agent}.table"
    if request.config.getoption("--golden"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("agent", FILES)
def test_json_has_the_rows_of_the_table(agent, project):
    shown, _ = replay(FILES[agent], "--rules", ALL, "--folder", project, "--format", "json")
    found = json.loads(shown)
    table, errors = replay(FILES[agent], "--rules", ALL, "--folder", project, "--agent", agent)
    assert len(table.split("\n\n")[0].splitlines()) == len(found["rows"]) + 1
    assert (found["agent"], found["rules"]) == (agent, ALL.replace(",", ", "))
    assert ("skipped 1 line" in errors) == (found["damaged"] == 1)
    said = [row for row in found["rows"] if row["what"] == "said"]
    assert found["totals"]["reminders"] == len(said)
    assert found["totals"]["tokens"] == sum(row["tokens"] for row in found["rows"])
    assert all(re.fullmatch(r"2026-11-20T10:\d\d:\d\d\.000Z", row["time"]) for row in found["rows"])
    assert [row["time"] for row in found["rows"]] == sorted(row["time"] for row in found["rows"])
    assert any("Use tabs." in row["text"] for row in said) or agent == "gemini"


@pytest.mark.parametrize("agent", FILES)
def test_the_rows_of_a_prefix_are_the_first_rows(agent):
    rules = RuleSet(names=tuple(STARTER_RULES), engine=ENGINE)
    lines = FILES[agent].read_bytes().splitlines(keepends=True)
    whole = rows_of(rules, lines, agent)
    assert len(whole) > 2
    for count in range(0, len(lines), 4):
        found = rows_of(rules, lines[:count], agent)
        assert found == whole[: len(found)], count


def rows_of(rules, lines, agent):
    player = Player(rules, agent, "/nowhere")
    steps = RecordedSession(io.BytesIO(b"".join(lines)), agent).steps()
    return [row for step in steps if not step.is_at_end for row in player.play(step)]


def test_the_recorded_time_is_the_time_of_the_rules(tmp_path):
    rules = tmp_path / "time.harn"
    rules.write_text(
        'register_session_hook("user_prompt_submit", { event ->\n'
        '  return {reminder: {body: "${date_format(date_now(), "%H:%M")} in turn ${event.turn}", ttl_turns: 1}}\n})\n'
    )
    shown, _ = replay(FILES["qwen"], "--script", rules, "--format", "json")
    assert [row["text"] for row in json.loads(shown)["rows"] if " in turn " in row["text"]] == [
        "10:01 in turn 1",
        "10:03 in turn 2",
    ]


def test_refusals_continuations_changes_and_output_are_rows(tmp_path):
    rules = tmp_path / "all.harn"
    rules.write_text(
        'register_tool_hook({pattern: "Bash", pre: { event ->\n'
        '  println("looked at ${event.tool.command}")\n'
        '  return event.tool.command == "git push" ? {deny: "Pushing is not allowed."} : nil\n}})\n'
        'register_tool_hook({pattern: "Read", pre: { event -> {args: {file_path: "/x"}} }})\n'
        'register_session_hook("pre_finish", { event -> {block: true, reason: "Not yet."} })\n'
    )
    shown, _ = replay(FILES["claude-code"], "--script", rules, "--format", "json")
    found = json.loads(shown)
    kinds = [(row["what"], row["text"]) for row in found["rows"]]
    assert ("denied", "Pushing is not allowed.") in kinds
    assert ("printed", "looked at git push") in kinds
    assert ("continued", "Not yet.") in kinds
    assert ("changed", '{"file_path":"/x"}') in kinds
    assert found["totals"]["denials"] == 1
    assert found["totals"]["continuations"] == 4


def test_a_comparison_tells_what_only_one_says(tmp_path):
    first, second = tmp_path / "a.harn", tmp_path / "b.harn"
    every = 'import {{ register_context }} from "std/rules/context"\nregister_context({{at: {}}})\n'
    first.write_text(every.format("[40, 70]"))
    second.write_text(every.format("[70, 85]"))
    shown, _ = replay(FILES["claude-code"], "--script", first, "--compare", second)
    table, sums = shown.split("\n\n")
    assert [line.split()[0] for line in table.splitlines() if "rules:context" in line] == ["A", "both", "B"]
    assert sums.splitlines()[-3:-1] == [
        "only A, a.harn: 1 row, about 32 tokens",
        "only B, b.harn: 1 row, about 32 tokens",
    ]
    found = json.loads(replay(FILES["claude-code"], "--script", first, "--compare", second, "--format", "json")[0])
    both = [row for row in found["rows"] if row["rules"] == "both"]
    assert (found["only_a"]["rows"], found["only_b"]["rows"], found["both"]["rows"]) == (1, 1, len(both))
    assert (found["a"]["rules"], found["b"]["rules"]) == ("a.harn", "b.harn")
    assert found["a"]["totals"]["reminders"] == len(both) + 1


def test_rules_are_compared_with_themselves_and_with_starter_rules():
    shown, _ = replay(FILES["codex"], "--rules", "context", "--compare", "context")
    assert {line.split()[0] for line in shown.split("\n\n")[0].splitlines()[1:]} == {"both"}
    shown, _ = replay(FILES["codex"], "--rules", "context", "--compare", "context,tests-fail")
    assert "only A, context: 0 rows" in shown


class Texts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.reminders, self.headings, self._in_heading = [], [], False

    def handle_starttag(self, tag, attrs):
        self._in_heading = tag == "h2"
        if "data-reminder" in dict(attrs):
            self.reminders.append(dict(attrs)["data-reminder"])

    def handle_data(self, data):
        if self._in_heading:
            self.headings.append(data.strip())
            self._in_heading = False


def test_the_page_has_each_reminder_with_its_life(tmp_path):
    target = tmp_path / "page.html"
    shown, _ = replay(FILES["claude-code"], "--rules", "context,tests-fail,truncated-output", "--html", target)
    page = Texts()
    page.feed(target.read_text(encoding="utf-8"))
    assert "rules:context" in shown
    assert len(page.reminders) == len(set(page.reminders)) == 4
    assert page.headings == ["5b1f3a52-7d1c-4a60-9a52-0c8d6f0f6c11"]
    text = target.read_text(encoding="utf-8")
    assert "rendered as PostToolBatch" in text
    assert "not preserved on compaction" in text
    both, _ = replay(FILES["claude-code"], "--rules", "context", "--compare", "tests-fail", "--html", "-")
    page = Texts()
    page.feed(both)
    assert {heading.split(":")[0] for heading in page.headings} == {"A (context)", "B (tests-fail)"}


def test_a_recording_is_read_from_stdin():
    shown, _ = replay("-", "--rules", "tests-fail", stdin=FILES["codex"].read_bytes())
    assert "The last test run failed: cargo test" in shown


def test_nothing_to_say_is_said(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    shown, _ = replay(empty, "--rules", "context")
    assert shown == (
        "The rules say nothing in this session.\n\n0 reminders in 0 calls of hooks, 0 turns: about 0 tokens.\n"
    )


def test_a_session_of_another_agent_has_no_calls():
    shown, errors = replay(FILES["claude-code"], "--rules", "context", "--agent", "codex")
    assert shown.startswith("The rules say nothing in this session.")
    name = FILES["claude-code"]
    assert errors.splitlines() == [
        f"{name}: skipped 1 line that cannot be read",
        f"{name}: no calls of hooks follow from it; is it a session of codex?",
    ]


def test_rules_that_loop_end_the_call_and_not_the_replay(tmp_path, monkeypatch):
    monkeypatch.setattr("harnlite.cli.hook_replay._SECONDS", 1.5)
    rules = tmp_path / "loop.harn"
    rules.write_text('register_session_hook("pre_compact", { event -> while true {} })\n')
    shown, _ = replay(FILES["codex"], "--script", rules, "--format", "json", status=1)
    rows = json.loads(shown)["rows"]
    assert "the run took longer than" in next(row["text"] for row in rows if row["what"] == "error")


def test_rules_that_fail_at_a_call_are_reported_once(tmp_path):
    rules = tmp_path / "bad.harn"
    rules.write_text('register_session_hook("user_prompt_submit", { event -> event.nothing.at.all })\nlet x = 1\n')
    shown, _ = replay(FILES["claude-code"], "--script", rules, "--format", "json", status=1)
    rows = json.loads(shown)["rows"]
    assert [row["what"] for row in rows].count("error") <= 1
    rules.write_text('throw "no rules today"\n')
    _, errors = replay(FILES["claude-code"], "--script", rules, status=1)
    assert "no rules today" in errors
    rules.write_text("let = 1\n")
    _, errors = replay(FILES["claude-code"], "--script", rules, status=3)
    assert "bad.harn:1:5: Expected variable name" in errors


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["FILE"], "name the rules with --script FILE or --rules NAME"),
        (["FILE", "--rules", "contxt"], "did you mean 'context'?"),
        (["FILE", "--script", "nowhere.harn"], "cannot read 'nowhere.harn'"),
        (["nowhere.jsonl", "--rules", "context"], "cannot read 'nowhere.jsonl': No such file or directory"),
        (["FILE", "--rules", "context", "--agent", "cursor"], "Invalid value for '--agent'"),
        (["FILE", "--rules", "context", "--allow", "bogus"], "unknown capability 'bogus'"),
        (["FILE", "--rules", "context", "--limit", "x=1"], "x"),
        (["/", "--rules", "context"], "cannot read '/': Is a directory"),
        (["FILE", "--rules", "context", "--compare", "x.harn"], "cannot read 'x.harn'"),
        (["OTHER", "--rules", "context"], "it is not the recorded session of an agent; --agent names the agent"),
    ],
)
def test_usage_errors(arguments, text, tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"name": "x"}\n')
    places = {"FILE": str(FILES["codex"]), "OTHER": str(other)}
    _, errors = replay(*[places.get(one, one) for one in arguments], status=2)
    assert text in " ".join(errors.split())
