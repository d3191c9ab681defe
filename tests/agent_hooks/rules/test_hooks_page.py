"""docs/hooks.md: its tables are those of the formats and of the starter rules, and its replay is real."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import harnlite
from harnlite.agent_hooks import hook_log, rule_runs, rule_scripts, session_files, watchdog
from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.deliveries import MOST_CHARACTERS, MOST_TOKENS
from harnlite.agent_hooks.formats.table import FORMATS, format_of
from harnlite.agent_hooks.starter_rules import STARTER_RULES
from harnlite.agent_hooks.wanted_events import DEFAULT_PROVIDERS
from harnlite.cli.hook_replay import command

ROOT = Path(__file__).parents[3]
SECONDS = watchdog.RUN_SECONDS * rule_scripts.SHARE
"""Before a fixture makes it longer."""
PAGE = ROOT / "docs" / "hooks.md"
COLUMNS = {
    "start": agent_calls.SESSION_START,
    "prompt": agent_calls.USER_PROMPT,
    "before a tool": agent_calls.PRE_TOOL_USE,
    "after a tool": agent_calls.POST_TOOL_USE,
    "after a compaction": agent_calls.POST_COMPACT,
    "idle": agent_calls.SESSION_IDLE,
    "stop": agent_calls.STOP,
    "sub-agent starts": agent_calls.SUBAGENT_START,
    "sub-agent stops": agent_calls.SUBAGENT_STOP,
}


def natives_of(form, event):
    """Return the agent's events for an event; a start may report the end of a compaction."""
    found = [native for native, of in form.events.items() if of == event]
    if event != agent_calls.POST_COMPACT or found:
        return found
    starts = natives_of(form, agent_calls.SESSION_START)
    payload = {"session_id": "s", "sessionId": "s", "source": "compact"}
    return [native for native in starts if form.read(payload, native, {}).event == event]


def cell(form, event):
    natives = natives_of(form, event)
    silent = "later" if form.speaking else "seen"
    if not natives:
        may_follow = event == agent_calls.POST_COMPACT and agent_calls.PRE_COMPACT in form.events.values()
        return silent if may_follow else "-"
    if event in {agent_calls.STOP, agent_calls.SUBAGENT_STOP}:
        return silent if form.continuing.isdisjoint(natives) else "continue"
    parts = [silent if form.speaking.isdisjoint(natives) else "text"]
    for word, names in (("deny", form.denying), ("change", form.changing)):
        if not names.isdisjoint(natives):
            parts.append(word)
    return ", ".join(parts)


def events_table():
    lines = [f"| agent | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name in FORMATS:
        form = format_of(name)
        lines.append(f"| {name} | {' | '.join(cell(form, event) for event in COLUMNS.values())} |")
    return "\n".join(lines)


def rules_table():
    lines = ["| rule | what it does |", "|---|---|"]
    lines += [f"| `{rule.name}` | {rule.meaning} |" for rule in STARTER_RULES.values()]
    return "\n".join(lines)


@pytest.mark.parametrize(("name", "table"), [("events", events_table), ("rules", rules_table)])
def test_the_tables_of_the_page_are_current(name, table, request):
    text = PAGE.read_text(encoding="utf-8")
    part = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    wanted = part.sub(lambda found: f"{found[1]}\n{table()}\n\n{found[2]}", text)
    if request.config.getoption("--golden"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == wanted


def test_the_program_of_the_page_is_clean_and_its_replay_real(tmp_path, monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    (program,) = re.findall(r"^```harn rules\.harn\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ((line, output),) = re.findall(r"^```hook-replay\n\$ (.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert harnlite.check(program) == []
    (tmp_path / "rules.harn").write_text(program)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)
    assert words[:3] == ["harnlite", "hook", "replay"]
    result = CliRunner().invoke(command, words[3:])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == output


def test_the_facts_of_the_page_are_those_of_the_code():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"at most {MOST_CHARACTERS:,} characters or about {MOST_TOKENS:,} tokens" in text
    assert f"{session_files.KEPT_SECONDS / 86_400:g} days" in text
    assert f"two files of {hook_log.MOST_BYTES / 1_000_000:g} MB" in text
    assert f"Rules get {SECONDS:g} seconds" in text
    for name in DEFAULT_PROVIDERS:
        assert f"`{name}`" in text
    outcomes = {rule_runs.SILENT, rule_runs.SAID, rule_runs.WAITS, rule_runs.BLOCKED, rule_runs.CONTINUED}
    for outcome in {*outcomes, rule_runs.TWICE, rule_runs.FAILED, "unused"}:
        assert f"`{outcome}`" in text
    for event in ("session_start", "user_prompt_submit", "pre_compact", "post_compact", "session_idle", "file_edited"):
        assert f"`{event}`" in text
