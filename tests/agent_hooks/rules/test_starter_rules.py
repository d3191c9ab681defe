"""The starter rules, each in a scripted session of an agent."""

import json
from pathlib import Path

import pytest

from harnlite.agent_hooks.starter_rules import STARTER_RULES, allowed_to, script_text
from tests.agent_hooks.core.sessions import AgentSession

ROOT = Path(__file__).parents[3]


def session_of(name, options="{}", **engine):
    """Return a session whose only rule is a starter rule, which may read files."""
    text = f'import {{ register_{name} }} from "std/rules/{name}"\nregister_{name}({options})\n'
    return AgentSession(text, engine={"sandbox": True, **engine})


def shell(session, command, output, **more):
    return session.tool(tool_name="Bash", tool_input={"command": command}, tool_response=output, **more)


def test_after_compact_names_the_rules_file_and_its_text(tmp_path):
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    session = session_of("after_compact", allow=("fs.read=.",))
    text = session.say("SessionStart", source="compact", cwd=str(tmp_path))
    assert text.startswith(
        "The conversation was compacted. These are the rules of the project, from AGENTS.md:\n\nUse tabs."
    )


def test_after_compact_says_that_a_long_file_is_cut(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("a" * 50)
    session = session_of("after_compact", "{max_chars: 10}", allow=("fs.read=.",))
    text = session.say("SessionStart", source="compact", cwd=str(tmp_path))
    assert text.endswith("CLAUDE.md:\n\naaaaaaaaaa\n[cut here; the file has more]")


def test_after_compact_works_without_files_and_without_permission(tmp_path):
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    text = session_of("after_compact").say("SessionStart", source="compact", cwd=str(tmp_path))
    assert text == ("The conversation was compacted. Details from before the summary are no longer in the context.")
    given = session_of("after_compact", '{text: "No tabs."}')
    text = given.say("SessionStart", source="compact")
    assert text == "The conversation was compacted. These rules still apply:\n\nNo tabs."


def test_context_says_each_threshold_once_and_replaces_token_pressure():
    session = session_of("context", "{at: [50, 80]}")
    window = {"context_window": 1000}
    texts = [session.prompt(context_tokens=used, **window) for used in (100, 500, 600, 800, 990)]
    assert [text[:38] for text in texts] == [
        "",
        "The context window is 50% full (500 of",
        "",
        "The context window is 80% full (800 of",
        "",
    ]


def test_every_n_turns():
    session = session_of("every_n_turns", '{every: 3, text: "Use tabs."}')
    assert [session.prompt() for _ in range(6)] == [
        *("", "", "This is turn 3 of the session. Use tabs."),
        *("", "", "This is turn 6 of the session. Use tabs."),
    ]


def test_file_changed_reports_changes_by_others_once(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("1")
    session = session_of("file_changed", allow=("fs.read=.",))
    here = {"cwd": str(tmp_path)}
    assert session.tool(tool_name="Read", tool_input={"file_path": "a.py"}, **here) == ""
    assert session.prompt(**here) == ""
    path.write_text("2 and more")
    assert session.prompt(**here) == "a.py has changed on disk since it was last read in this session."
    assert session.prompt(**here) == ""
    path.write_text("the agent's own edit")
    assert session.tool(tool_name="Edit", tool_input={"file_path": "a.py"}, **here) == ""
    path.unlink()
    assert shell(session, "ls", "", **here) == "a.py has been deleted since it was last read in this session."
    assert session.prompt(**here) == ""


def test_file_changed_does_nothing_without_permission(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("1")
    session = session_of("file_changed")
    session.tool(tool_name="Read", tool_input={"file_path": "a.py"}, cwd=str(tmp_path))
    path.write_text("22")
    assert session.prompt(cwd=str(tmp_path)) == ""


RUNS = [
    "pytest -q",
    "python -m pytest tests",
    "cd x && npm test",
    "npm run test",
    "cargo test --all",
    "go test ./...",
    "make test",
    "./gradlew check",
    "harnlite test",
    "FOO=1 timeout 60 uv run --frozen pytest tests/a.py -x 2>&1 | tail -20",
    "cat > t.py <<'EOF'\nx\nEOF\npytest t.py",
    'bash -lc "cd x && yarn test:unit"',
    "docker compose exec app pytest",
    "mvn -q verify",
    "cargo nextest run",
]
OTHERS = [
    "grep -rn pytest .",
    "pip install pytest",
    "which pytest",
    'git commit -m "make the test pass"',
    'git commit -m "x; pytest fails"',
    "go build && echo test",
    "pytest --version",
    "cargo test --no-run",
    "cat > run.sh <<'EOF'\npytest\nEOF",
    "ls tests",
    "cat pytest.ini",
    "git commit -m 'make it fast'",
    "echo testing",
    "npm install jest-cli",
]


@pytest.mark.parametrize("command", RUNS)
def test_a_failed_test_run_is_reported_with_its_lines(command):
    session = session_of("tests_fail")
    text = shell(session, command, "....F\nFAILED tests/test_a.py::test_b\n1 failed, 4 passed in 0.1s")
    assert text == (f"The last test run failed: {command}\nFAILED tests/test_a.py::test_b\n1 failed, 4 passed in 0.1s")


@pytest.mark.parametrize("command", OTHERS)
def test_other_commands_are_not_test_runs(command):
    assert shell(session_of("tests_fail"), command, "1 failed") == ""


PASSING = [
    "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5",
    "tests/test_login.py::test_failed_login PASSED\n  ✓ rejects a failed login (3 ms)\n1 passed in 0.1s",
    "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
    "10 examples, 0 failures",
    "test parses 1 error ... ok\nok  \tpkg\t0.1s",
    "# pass 5\n# fail 0",
    "raises AssertionError: ... ok\nOK",
]
FAILING = [
    ("E   AssertionError: 1 != 2\n1 failed in 0.1s", "1 failed in 0.1s\nE   AssertionError: 1 != 2"),
    ("--- FAIL: TestA (0.00s)\nFAIL\tpkg\t0.1s", "--- FAIL: TestA (0.00s)\nFAIL\tpkg\t0.1s"),
    ("Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0"),
    ("test a ... FAILED\nthread 'a' panicked at src/lib.rs:1:1:", None),
    ("  ✕ adds (2 ms)\nTests: 1 failed, 4 passed", "✕ adds (2 ms)\nTests: 1 failed, 4 passed"),
    ("3 passing\n1 failing", "1 failing"),
    ("not ok 1 - adds\n# fail 1", "not ok 1 - adds\n# fail 1"),
    ("1 error in 0.05s", "1 error in 0.05s"),
]


@pytest.mark.parametrize("output", PASSING)
def test_a_run_that_passes_is_not_reported_and_ends_the_reminder(output):
    session = session_of("tests_fail")
    shell(session, "pytest", "1 failed")
    assert shell(session, "make test", output) == ""
    assert session.say("SessionStart", source="compact") == ""


@pytest.mark.parametrize(("output", "lines"), FAILING)
def test_failures_of_many_test_programs_are_found(output, lines):
    assert (
        shell(session_of("tests_fail"), "make test", output)
        == f"The last test run failed: make test\n{lines or output}"
    )


@pytest.mark.parametrize("output", ["", "Command running in background with ID: b1"])
def test_a_run_without_a_result_changes_nothing(output):
    session = session_of("tests_fail")
    shell(session, "pytest", "1 failed")
    assert shell(session, "pytest", output) == ""
    assert session.say("SessionStart", source="compact").startswith("The last test run failed")


def test_a_failure_comes_again_after_a_compaction_and_ends_with_a_run_that_passes():
    session = session_of("tests_fail")
    shell(session, "pytest", "1 failed")
    assert session.prompt() == ""
    assert session.say("SessionStart", source="compact") == "The last test run failed: pytest\n1 failed"
    assert shell(session, "pytest", "5 passed in 0.1s") == ""
    assert session.say("SessionStart", source="compact") == ""


def test_an_agent_that_stops_with_failing_tests_is_sent_back_once():
    session = session_of("tests_fail", "{keep_working: true}")
    session.prompt()
    shell(session, "pytest", "1 failed")
    assert session.reply("Stop").speech.go_on == "The last test run has failed: pytest"
    assert session.reply("Stop", stop_hook_active=True).speech.go_on is None
    session.prompt()
    shell(session, "pytest", "1 passed")
    assert session.reply("Stop").speech.go_on is None


def test_read_before_edit_mentions_or_refuses(tmp_path):
    (tmp_path / "a.py").write_text("1")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "cwd": str(tmp_path)}
    allow = ("fs.read=.",)
    session = session_of("read_before_edit", allow=allow)
    assert session.say("PreToolUse", **edit) == (
        "a.py has not been read in this session before the edit. The content may differ from what the edit expects."
    )
    session = session_of("read_before_edit", "{deny: true}", allow=allow)
    assert session.reply("PreToolUse", **edit).speech.deny.startswith("a.py has not been read in this session,")
    session.tool(tool_name="Read", tool_input={"file_path": "a.py"}, cwd=str(tmp_path))
    assert session.reply("PreToolUse", **edit).speech.deny is None
    new = {"tool_name": "Write", "tool_input": {"file_path": "new.py"}, "cwd": str(tmp_path)}
    assert session.reply("PreToolUse", **new).speech.deny is None


SECRETS = [
    ("an AWS access key", "AKIA" + "Q2W3E4R5T6Z7U8I9"),
    ("a token of GitHub", "ghp_" + "aB3" * 12),
    ("a key of Anthropic", "sk-ant-" + "aB3-" * 10),
    ("a private key", "-----BEGIN RSA " + "PRIVATE KEY-----\\n" + "aB3/" * 16),
]


@pytest.mark.parametrize(("name", "secret"), SECRETS)
def test_a_secret_is_not_written(name, secret):
    session = session_of("secrets")
    edit = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": f"key = '{secret}'"}}
    assert session.reply("PreToolUse", **edit).speech.deny.startswith(f"The call contains what looks like {name}.")
    command = {"tool_name": "Bash", "tool_input": {"command": f"echo {secret} > .env"}}
    assert name in session.reply("PreToolUse", **command).speech.deny
    assert session.reply("PreToolUse", tool_name="Read", tool_input={"file_path": secret}).speech.deny is None
    allowed = session_of("secrets", f"{{allow: [{json.dumps(secret)}]}}")
    assert allowed.reply("PreToolUse", **edit).speech.deny is None


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("git add .env", ".env"),
        ("git -C x add src/id_rsa", "id_rsa"),
        ("git commit -m 'x' server.pem", "server.pem"),
        ("git add '.env'", ".env"),
        ("cd x && FOO=1 git commit -am x .env", ".env"),
        ("git add .env.example", None),
        ('git commit -m "ignore .env and keep going"', None),
        ("git commit -m .env", None),
        ("cat .env && git commit -m x", None),
        ("cp .env.example .env && git checkout add-login", None),
        ("git rm --cached .env && git commit -m x", None),
        ("echo .env >> .gitignore && git add .gitignore", None),
        ("git add . ':!.env'", None),
        ("git add src/environment.py", None),
        ("cat .env", None),
        ("git log", None),
    ],
)
def test_files_with_secrets_are_not_committed(command, name):
    deny = session_of("secrets").reply("PreToolUse", tool_name="Bash", tool_input={"command": command}).speech.deny
    assert deny == (None if name is None else f"{name} usually contains secrets and is not committed.")


def test_a_secret_may_be_taken_away_and_searched_for():
    secret = "ghp_" + "aB3" * 12
    session = session_of("secrets")
    edit = {"file_path": "a.py", "old_string": f"key = '{secret}'", "new_string": "key = os.environ['KEY']"}
    assert session.reply("PreToolUse", tool_name="Edit", tool_input=edit).speech.deny is None
    for command in (f"grep -rn {secret} . 2>/dev/null", f"curl -H 'Authorization: Bearer {secret}' x.org 2>&1"):
        assert session.reply("PreToolUse", tool_name="Bash", tool_input={"command": command}).speech.deny is None
    check = {"file_path": "a.py", "content": "text.startswith('-----BEGIN " + "PRIVATE KEY-----')"}
    assert session.reply("PreToolUse", tool_name="Write", tool_input=check).speech.deny is None


def test_a_file_counts_as_read_when_a_shell_command_names_it(tmp_path):
    (tmp_path / "a.py").write_text("1")
    session = session_of("read_before_edit", "{deny: true}", allow=("fs.read=.",))
    shell(session, "cd src && sed -n '1,80p' ../a.py", "1", cwd=str(tmp_path))
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(tmp_path / "a.py")}, "cwd": str(tmp_path)}
    assert session.reply("PreToolUse", **edit).speech.deny is None


def test_an_edit_in_a_batch_is_not_a_change_by_others(tmp_path):
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "b.py").write_text("1")
    session = session_of("file_changed", allow=("fs.read=.",))
    read = {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_use_id": "x1"}
    assert session.say("PostToolBatch", tool_calls=[read], cwd=str(tmp_path)) == ""
    (tmp_path / "a.py").write_text("the edit")
    batch = [
        {"tool_name": "Read", "tool_input": {"file_path": "b.py"}, "tool_use_id": "x2"},
        {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_use_id": "x3"},
    ]
    assert session.say("PostToolBatch", tool_calls=batch, cwd=str(tmp_path)) == ""
    assert session.prompt(cwd=str(tmp_path)) == ""


def test_what_concerns_the_main_conversation_is_not_told_to_a_sub_agent():
    for name, options in (("context", "{at: [50]}"), ("every_n_turns", "{every: 1}"), ("tests_fail", "{}")):
        session = session_of(name, options)
        assert session.prompt(context_tokens=600, context_window=1000) or name == "tests_fail"
        shell(session, "pytest", "1 failed")
        assert session.say("SubagentStart", agent_id="a1") == ""


def test_a_stale_plan_is_mentioned_after_turns_and_after_calls():
    session = session_of("stale_plan", "{turns: 2, calls: 3}")
    session.prompt()
    assert shell(session, "ls", "") == ""
    session.tool(tool_name="TodoWrite", tool_input={"todos": []})
    texts = [shell(session, "ls", "") for _ in range(3)]
    assert texts[:2] == ["", ""]
    assert texts[2].startswith("The plan was last updated earlier in this turn, 3 tool calls ago.")
    assert [session.prompt()[:43] for _ in range(2)] == ["", "The plan was last updated 2 turns ago. Fini"]
    session.tool(tool_name="Edit", tool_input={"file_path": "docs/PLAN.md"})
    assert session.prompt() == ""


@pytest.mark.parametrize(
    "name",
    [
        *("after_compact", "context", "every_n_turns", "file_changed", "truncated_output"),
        *("tests_fail", "read_before_edit", "secrets", "stale_plan"),
    ],
)
def test_a_wrong_option_is_an_error(name):
    reply = session_of(name, "{nmae: 1}").reply("UserPromptSubmit")
    assert f"{name}: unknown option `nmae`; it has `" in reply.error


def test_all_rules_together_are_one_program(tmp_path):
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    text = "\n".join(script_text(name) for name in STARTER_RULES)
    session = AgentSession(text, engine={"sandbox": True, "allow": tuple(allowed_to(STARTER_RULES))})
    assert session.prompt(cwd=str(tmp_path)) == ""
    assert "Use tabs." in session.say("SessionStart", source="compact", cwd=str(tmp_path))


def test_every_module_of_the_folder_is_a_rule():
    modules = {path.stem for path in (ROOT / "stdlib/std/rules").glob("*.harn")} - {"options"}
    assert {rule.module.removeprefix("std/rules/") for rule in STARTER_RULES.values()} == modules


def test_a_misspelt_rule_is_an_error():
    with pytest.raises(ValueError, match="did you mean 'after-compact'"):
        script_text("after-compat")
