"""The commands of `harnlite hook` for people, and the commands that they write for agents."""

import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from harnlite.agent_hooks import hook_log
from harnlite.agent_hooks.formats.table import format_of
from harnlite.agent_hooks.install import hook_commands
from harnlite.agent_hooks.install.agent_files import AGENT_FILES, GROUPS, HANDLERS
from harnlite.agent_hooks.install.file_changes import UnusableFile, apply_all
from harnlite.agent_hooks.state_folder import session_folder
from harnlite.cli.doctor import command as doctor

SAYS = 'register_session_hook("user_prompt_submit", { ctx -> {reminder: {body: "from a rule"}} })\n'
DENIES = 'register_tool_hook({pattern: "*", deny: "not that"})\n'
PROMPT = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "x", "transcript_path": "/none"}


def started(user, entry, event, payload):
    """Start what an entry of a configuration names, as the agent does."""
    if "exec" in entry:
        words = [entry["exec"], *entry["args"]]
    else:
        words = ["/bin/sh", "-c", entry.get("command", entry.get("bash"))]
    data = json.dumps({"cwd": str(user.project), **payload})
    return subprocess.run(words, input=data, capture_output=True, text=True, timeout=60, check=False)


def entry_of(user, agent, event):
    found = user.settings(agent)["hooks"][event][0]
    return found["hooks"][0] if AGENT_FILES[agent].form == GROUPS else found


@pytest.mark.usefixtures("patient_start")
def test_a_rule_speaks_through_the_installed_command(user):
    folder = user.project / 'it\'s a "folder" $HOME ü'
    folder.mkdir()
    script = user.script(SAYS, f"{folder.name}/rules.harn")
    user.install("claude-code", "user", "--script", script)
    done = started(user, entry_of(user, "claude-code", "UserPromptSubmit"), "UserPromptSubmit", PROMPT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] == "from a rule"


@pytest.mark.parametrize("agent", [name for name, files in AGENT_FILES.items() if files.form in {GROUPS, HANDLERS}])
@pytest.mark.parametrize("gone", ["interpreter", "package"])
def test_no_call_is_refused_when_harnlite_is_gone(user, agent, gone, monkeypatch):
    script = user.script(DENIES)
    if gone == "interpreter":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    else:
        monkeypatch.setattr(hook_commands, "start_file", lambda: "/nowhere/harnlite/agent_hooks/start.py")
    user.install(agent, "user", "--script", script)
    for event in user.settings(agent)["hooks"]:
        entry = entry_of(user, agent, event)
        if "exec" in entry:
            assert event not in AGENT_FILES[agent].fails_closed
            continue
        done = started(user, entry, event, PROMPT)
        assert (done.returncode, done.stdout) == (0, "")
    assert any("pre" in event.lower() or "before" in event.lower() for event in user.settings(agent)["hooks"])


def test_the_command_names_this_environment(user):
    user.install("codex", "user", "--rules", "context", "--limit", "regex_milliseconds=500", "--max-memory", "512MB")
    [hook, *_] = user.installation("codex").hooks()
    start = hook_commands.start_file()
    assert os.path.isabs(start)
    assert os.path.isfile(start)
    assert hook.words == [
        *(sys.executable, "-I", "-S", start, "hook", "--agent", "codex", "--rules", "context", "--sandbox"),
        *("--limit", "regex_milliseconds=500", "--max-memory", "512MB", "SessionStart"),
    ]


def test_all_events_are_those_of_the_format():
    for name, files in AGENT_FILES.items():
        events = {**files.events, **files.optional}
        assert {event: format_of(name).events.get(event) for event in events} == events


def test_failed_calls_are_reported_only_if_rules_look_at_results(user):
    user.install("copilot")
    assert "postToolUseFailure" not in user.settings("copilot")["hooks"]
    user.install("copilot", "user", "--rules", "tests-fail")
    assert "postToolUseFailure" in user.settings("copilot")["hooks"]


def test_optional_events_follow_the_handlers(user):
    user.install("claude-code", "user", "--script", user.script(DENIES))
    assert set(user.settings("claude-code")["hooks"]) == {
        *("SessionStart", "UserPromptSubmit", "PostToolBatch", "PreToolUse"),
    }
    script = user.script(
        'register_session_hook("pre_finish", { ctx -> nil })\nregister_session_hook("session_idle", { ctx -> nil })'
    )
    user.install("claude-code", "user", "--script", script)
    hooks = user.settings("claude-code")["hooks"]
    assert {"Stop", "Notification"} < set(hooks)
    assert "PreToolUse" not in hooks
    assert hooks["Notification"][0]["matcher"] == "idle_prompt"


def test_without_a_terminal_nothing_is_changed(user):
    before = user.files()
    result = user.hook("install", "--agent", "codex", "--rules", "context", code=2)
    assert "+++ b" in result.stdout
    assert "--yes" in result.stderr
    assert user.files() == before


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_on_a_terminal_the_user_is_asked(user, answer, status):
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "harnlite", "hook", "install", "--agent", "codex", "--rules", "context"],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(follower)
    os.write(leader, answer.encode())
    out, err = process.communicate(timeout=60)
    os.close(leader)
    assert process.returncode == status
    assert f"Change {user.path('codex')}?" in err
    assert user.path("codex").exists() == (status == 0)
    assert "\x1b" not in out


def test_colour(user):
    result = user.install("codex", "user", "--color", "always")
    assert "\x1b[32m+" in result.stdout


REFUSED = [
    (["--rules", "contxt"], 2, "did you mean 'context'?"),
    (["--rules", "context", "--allow", "fs.raed"], 2, "did you mean fs.read?"),
    (["--rules", "context", "--limit", "nonsense"], 2, "--limit"),
    (["--script", "missing.harn"], 1, "cannot read"),
    (["--script", "broken.harn"], 3, "broken.harn:1:9"),
    (["--script", "throws.harn"], 1, "throws.harn:1:1"),
]


@pytest.mark.parametrize(("arguments", "status", "text"), REFUSED)
def test_what_cannot_work_is_refused(user, arguments, status, text):
    user.script("let x = )\n", "broken.harn")
    user.script('throw "at once"\n', "throws.harn")
    before = user.files()
    assert text in user.install("codex", "user", *arguments, code=status).stderr
    assert user.files() == before


def test_rules_are_required(user):
    assert "--script FILE" in user.hook("install", "--agent", "codex", "--yes", code=2).stderr


def test_what_the_options_deny_is_said_before(user):
    script = user.script('fn f() { return read_file("/a") }\nregister_session_hook("session_start", { ctx -> f() })\n')
    result = user.install("codex", "user", "--script", script, "--sandbox")
    assert "`read_file` needs fs.read" in result.stderr
    assert "rules.harn:1:17" in result.stderr
    assert user.install("codex", "user", "--script", script, "--sandbox", "--allow", "fs.read").stderr == ""
    assert user.install("codex", "user", "--script", script).stderr == ""
    result = user.install("codex", "user", "--rules", "after-compact", "--deny", "fs.read,net")
    assert result.stderr == ""  # the scope that the rule needs stays open
    result = user.install("codex", "user", "--script", script, "--rules", "after-compact", "--deny", "fs.read")
    assert "the rule after-compact needs fs.read=." in result.stderr


def test_list(user):
    assert "nothing is installed" in user.hook("list").stdout
    script = user.script(SAYS)
    user.install("codex", "user", "--script", script, "--observe", "--deny", "net")
    user.install("gemini", "project", "--rules", "context,secrets")
    user.install("cline")
    user.install("opencode")
    text = user.hook("list").stdout
    assert f"codex (user): {script} (observed only)\n  {user.path('codex')}\n  SessionStart, UserPromptSubmit" in text
    assert "gemini (project): rules context, secrets\n" in text
    data = json.loads(user.hook("list", "--json").stdout)
    assert [(one["agent"], one["scope"], one["rules"]) for one in data] == [
        ("codex", "user", []),
        ("gemini", "project", ["context", "secrets"]),
        ("cline", "user", ["after-compact"]),
        ("opencode", "user", ["after-compact"]),
    ]
    assert data[0]["options"] == ["--script", str(script), "--observe", "--deny", "net"]
    assert data[0]["script"] == str(script)
    assert "BeforeTool" in data[1]["events"]
    assert [one["agent"] for one in json.loads(user.hook("list", "--json", "--scope", "project").stdout)] == ["gemini"]
    user.path("codex").write_text("{")
    assert f"error: {user.path('codex')}:1:2: " in user.hook("list", code=2).stderr


def rows(user, agent, code=0):
    [group] = json.loads(user.hook("doctor", "--agent", agent, "--json", code=code).stdout)
    return dict(group["rows"])


def test_doctor(user):
    assert "nothing is installed" in user.hook("doctor").stdout
    script = user.script(SAYS)
    user.install("codex", "user", "--script", script)
    found = rows(user, "codex")
    assert found["codex (user)"] == str(user.path("codex"))
    assert found["interpreter"] == sys.executable
    assert found["script"] == "compiles and runs"
    assert "/hooks" in found["to do"]
    assert found["last call"] == "none yet"
    call = {"agent": "codex", "native": "SessionStart", "ms": 7.5, "outcome": "silent"}
    hook_log.append(call)
    assert rows(user, "codex")["last call"].endswith(", SessionStart, 7.5 ms, silent")
    hook_log.append({**call, "outcome": "error", "error": "it broke"})
    assert rows(user, "codex", 1)["last error"] == "BROKEN: it broke"
    user.script(DENIES)
    assert "PreToolUse" in rows(user, "codex", 1)["missing events"]
    user.script("let = ")
    assert f"{script}:1:5" in rows(user, "codex", 1)["script"]
    script.unlink()
    assert rows(user, "codex", 1)["script"].startswith("BROKEN: cannot read")


def test_doctor_misses_the_interpreter(user, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        user.install("qwen")
    assert rows(user, "qwen", 1)["interpreter"].startswith("MISSING: /nowhere/python")


SWITCHES = [
    ("claude-code", ".claude/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("qwen", ".qwen/settings.json", '{"disableAllHooks": true} // off', "disableAllHooks"),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "[features] hooks = false"),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"disabled": ["harnlite"]}}', "hooksConfig.disabled"),
]


@pytest.mark.parametrize(("agent", "name", "text", "expected"), SWITCHES)
def test_doctor_finds_what_switches_hooks_off(user, agent, name, text, expected):
    path = user.project / name
    path.parent.mkdir()
    path.write_text(text)
    user.install(agent)
    assert expected in rows(user, agent, 1)["switch"]


TRUSTED = [
    ("claude-code", ".claude.json", lambda folder: {"projects": {str(folder): {"hasTrustDialogAccepted": True}}}),
    (
        "claude-code",
        ".claude.json",
        lambda folder: {"projects": {str(folder.parent): {"hasTrustDialogAccepted": True}}},
    ),
    ("gemini", ".gemini/trustedFolders.json", lambda folder: {str(folder): "TRUST_FOLDER"}),
    ("gemini", ".gemini/trustedFolders.json", lambda folder: {str(folder / "a"): "TRUST_PARENT"}),
]
UNTRUSTED = [
    ("claude-code", ".claude.json", lambda folder: {"projects": {str(folder): {"hasTrustDialogAccepted": False}}}),
    ("claude-code", ".claude.json", lambda folder: {"projects": [str(folder)]}),
    ("gemini", ".gemini/trustedFolders.json", lambda folder: {str(folder): "DO_NOT_TRUST"}),
]


@pytest.mark.parametrize(
    ("agent", "name", "data", "is_trusted"), [(*row, True) for row in TRUSTED] + [(*row, False) for row in UNTRUSTED]
)
def test_doctor_knows_trusted_folders(user, agent, name, data, is_trusted):
    user.install(agent)
    path = user.home / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data(user.project)))
    found = rows(user, agent)
    assert ("trust" in found, "to do" in found) == (is_trusted, not is_trusted)
    hook_log.append({"agent": agent})
    assert ("if it does not call" in rows(user, agent)) == (not is_trusted)


def test_forget(user):
    folder = user.state / "hooks"
    for agent, session in (("codex", "a"), ("codex", "b"), ("qwen", "c")):
        os.makedirs(session_folder(agent, session))
    hook_log.append({"agent": "codex"})
    assert "say what to delete" in user.hook("forget", code=2).stderr
    assert "say what to delete" in user.hook("forget", "--all", "--agent", "codex", code=2).stderr
    assert "there is no agent" in user.hook("forget", "--agent", "codec", code=2).stderr
    assert "there is no stored session" in user.hook("forget", "--session", "x", code=1).stderr
    assert user.hook("forget", "--session", "a").stdout == "deleted the state of 1 session\n"
    assert user.hook("forget", "--agent", "codex").stdout == "deleted the state of 1 session\n"
    assert len(list(folder.iterdir())) == 1
    assert user.hook("forget", "--all").stdout == "deleted the state of 1 session\n"
    assert not (user.state / "hook.log").exists()


def test_remove_says_what_it_did(user):
    assert user.hook("remove", "--yes").stdout == "nothing to remove\n"
    user.install("codex")
    user.install("cursor", "project")
    text = user.hook("remove", "--yes").stdout
    assert text.endswith("removed from Codex CLI\nremoved from Cursor\n")


def test_entries_that_only_look_like_ours_stay(user):
    path = user.path("claude-code")
    path.parent.mkdir()
    handlers = [
        {"type": "command", "command": "/x/my_agent_hooks/start.py"},
        {"type": "command", "command": "harnlite hook --agent claude-code --script mine.harn SessionStart"},
        {"type": "prompt", "prompt": "see harnlite/agent_hooks/start.py"},
    ]
    path.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": handlers}]}}))
    user.install("claude-code")
    user.forget_records()
    user.hook("remove", "--yes")
    assert user.settings("claude-code")["hooks"]["SessionStart"][0]["hooks"] == handlers


def test_state_that_cannot_be_written_is_no_obstacle(user):
    user.state.write_text("a file")
    user.install("codex")
    assert "nothing to change" in user.install("codex").stdout
    user.hook("remove", "--agent", "codex", "--yes")
    assert user.path("codex").read_text() == "{}\n"


def test_a_file_that_changes_while_the_user_thinks_is_not_overwritten(user):
    user.path("codex").parent.mkdir()
    installation = user.installation("codex")
    changes = installation.install(["--rules", "context"], ["SessionStart"])
    user.path("codex").write_text('{"new": 1}')
    with pytest.raises(UnusableFile, match="was changed by another program"):
        apply_all(changes, installation.records)
    assert user.path("codex").read_text() == '{"new": 1}'


def test_the_doctor_of_the_installation_names_the_agents(user):
    assert "hooks:" not in CliRunner().invoke(doctor).stdout
    user.install("codex")
    user.install("cursor", "project")
    user.path("gemini").parent.mkdir()
    user.path("gemini").write_text("{")
    text = CliRunner().invoke(doctor).stdout
    assert "hooks: codex (user), gemini (user) cannot be read, cursor (project); details: harnlite hook doctor" in text


def test_commands_in_a_project_are_those_of_this_machine(user):
    assert "paths of this machine" in user.install("codex", "project").stdout
    assert "paths of this machine" not in user.install("codex").stdout


def test_the_help_describes_what_agents_start(user):
    text = user.hook("--help").stdout
    assert "AGENT [--script FILE] [--rules NAMES]" in text
    assert "Did you mean 'install'?" in user.hook("instal", code=2).stderr
