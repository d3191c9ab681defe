"""Installing and removing hooks: every agent, every scope, and every kind of file that may be there before."""

import json
import os
import stat

import pytest

from harnlite.agent_hooks.install.agent_files import AGENT_FILES, GROUPS, HANDLERS, SCOPES

AGENTS = sorted(AGENT_FILES)
JSON_AGENTS = [name for name in AGENTS if AGENT_FILES[name].form in {GROUPS, HANDLERS}]
EACH = pytest.mark.parametrize(("agent", "scope"), [(agent, scope) for agent in AGENTS for scope in SCOPES])
EACH_JSON = pytest.mark.parametrize(("agent", "scope"), [(agent, scope) for agent in JSON_AGENTS for scope in SCOPES])


def other_settings(agent):
    """Return settings of a user who has other hooks, in the form of the agent."""
    files = AGENT_FILES[agent]
    handler = {"type": "command", "command": "echo 'a // b'", "timeout": 9}
    group = {"matcher": "Bash", "hooks": [handler]} if files.form == GROUPS else handler
    first, second = list(files.events)[:2]
    return {
        **files.root,
        "$schema": "https://example.org/ü.json",
        "hooks": {first: [group, group], "Other": [group]},
        "permissions": {"allow": ["Bash(git:*)"], "deny": []},
        "empty": {"hooks": []},
        "second": second,
    }


def lines(text, newline="\n", *, end=True):
    return text.replace("\n", newline) + (newline if end else "")


LAYOUTS = {
    "two spaces": lambda data: lines(json.dumps(data, indent=2, ensure_ascii=False)),
    "four spaces": lambda data: lines(json.dumps(data, indent=4)),
    "tabs": lambda data: lines(json.dumps(data, indent="\t")),
    "crlf": lambda data: lines(json.dumps(data, indent=2), "\r\n"),
    "no final newline": lambda data: lines(json.dumps(data, indent=2), end=False),
    "one line": lambda data: lines(json.dumps(data)),
    "no spaces": lambda data: json.dumps(data, separators=(",", ":")),
    "blank lines": lambda data: "\n\n" + json.dumps(data, indent=2).replace(",\n", ",\n\n") + "\n\n\n",
    "byte order mark": lambda data: "\ufeff" + lines(json.dumps(data, indent=2)),
}


def is_inside(text, longer):
    """Return whether a text remains if characters are deleted from a longer one."""
    characters = iter(longer)
    return all(character in characters for character in text)


@EACH
def test_fresh(user, agent, scope):
    before = user.files()
    user.install(agent, scope)
    hooks = user.installation(agent, scope).hooks()
    assert [hook.event for hook in hooks] == [*AGENT_FILES[agent].events] or agent == "cline"
    assert {hook.event for hook in hooks} == {*AGENT_FILES[agent].events}
    other = "project" if scope == "user" else "user"
    assert not user.installation(agent, other).hooks()
    user.hook("remove", "--agent", agent, "--scope", scope, "--yes")
    assert user.files() == before


@EACH
def test_twice_is_once(user, agent, scope):
    user.install(agent, scope)
    before = user.files()
    assert "nothing to change" in user.install(agent, scope).stdout
    user.forget_records()
    assert "nothing to change" in user.install(agent, scope).stdout
    assert user.files() == before


@EACH
def test_another_version_keeps_the_files(user, agent, scope, monkeypatch):
    user.install(agent, scope)
    before = user.files()
    for module in ("harnlite.version", "harnlite.agent_hooks.rule_sets", "harnlite.cli.group"):
        monkeypatch.setattr(f"{module}.VERSION", "99.1")
    assert "nothing to change" in user.install(agent, scope).stdout
    assert user.files() == before


@EACH
def test_other_rules_replace_the_first_ones(user, agent, scope):
    before = user.files()
    user.install(agent, scope)
    user.install(agent, scope, "--rules", "context", "--observe")
    hooks = user.installation(agent, scope).hooks()
    assert all("context" in hook.words and "--observe" in hook.words for hook in hooks)
    assert len(hooks) == len({hook.event for hook in hooks})
    user.hook("remove", "--agent", agent, "--yes")
    assert user.files() == before


@pytest.mark.parametrize("layout", LAYOUTS)
@EACH_JSON
def test_other_settings_stay_byte_for_byte(user, agent, scope, layout):
    path = user.path(agent, scope)
    path.parent.mkdir(parents=True)
    text = LAYOUTS[layout](other_settings(agent))
    path.write_bytes(text.encode())
    user.install(agent, scope)
    changed = path.read_bytes().decode()
    assert is_inside(text, changed)
    assert ("\r\n" in text) == ("\r\n" in changed)
    assert "\n" not in changed.replace("\r\n", "") or "\r\n" not in text
    data = json.loads(changed.removeprefix("\ufeff"))
    assert list(data)[: len(other_settings(agent))] == list(other_settings(agent))
    user.hook("remove", "--agent", agent, "--scope", scope, "--yes")
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_removing_without_a_record_restores_the_bytes_too(user, agent, layout):
    path = user.path(agent)
    path.parent.mkdir(parents=True)
    text = LAYOUTS[layout](other_settings(agent))
    path.write_bytes(text.encode())
    user.install(agent)
    user.forget_records()
    user.hook("remove", "--agent", agent, "--yes")
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_what_others_change_meanwhile_stays(user, agent):
    path = user.path(agent)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(other_settings(agent), indent=2))
    user.install(agent)
    data = json.loads(path.read_text())
    data["model"] = "new"
    data["hooks"]["Later"] = [{"command": "echo"}]
    path.write_text(json.dumps(data, indent=2))
    assert "nothing to change" in user.install(agent).stdout
    user.hook("remove", "--agent", agent, "--yes")
    expected = {**other_settings(agent), "model": "new"}
    expected["hooks"]["Later"] = [{"command": "echo"}]
    assert json.loads(path.read_text()) == expected


COMMENTED = '// mine\n{\n  /* a */ "x": 1, // one\n  "hooks": { // none\n  }\n}\n// end\n'


@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_comments_stay_where_the_agent_allows_them(user, agent):
    path = user.path(agent)
    path.parent.mkdir(parents=True)
    path.write_text(COMMENTED)
    if not AGENT_FILES[agent].has_comments:
        result = user.install(agent, code=2)
        assert f"{path}:1:1" in result.stderr
        assert "may not contain comments" in result.stderr
    else:
        user.install(agent)
        assert is_inside(COMMENTED, path.read_text())
        user.hook("remove", "--agent", agent, "--yes")
    assert path.read_text() == COMMENTED


MALFORMED = [
    ('{\n  "a": [1,\n  "b": 2\n}\n', "3:6"),
    ("[]", "1:1"),
    ('{"hooks": []}', "1:11"),
    ('{"hooks": null}', "1:11"),
    ('{"a": 1', "1:8"),
    ("nonsense", "1:1"),
]


@pytest.mark.parametrize(("text", "place"), MALFORMED)
@EACH_JSON
def test_a_malformed_file_is_refused_with_the_place(user, agent, scope, text, place):
    path = user.path(agent, scope)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    before = user.files()
    result = user.install(agent, scope, code=2)
    assert f" --> {path}:{place}" in result.stderr
    assert "^" in result.stderr
    assert "nothing was changed" in result.stderr
    assert user.files() == before


@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_wrong_places_inside_are_refused(user, agent):
    path = user.path(agent)
    path.parent.mkdir(parents=True)
    event = next(iter(AGENT_FILES[agent].events))
    path.write_text(json.dumps({"hooks": {event: {"command": "x"}}}))
    before = user.files()
    assert "must be a JSON array" in user.install(agent, code=2).stderr
    assert user.files() == before


@EACH
def test_a_file_that_is_not_text_is_refused(user, agent, scope):
    user.install(agent, scope)
    path = user.path(agent, scope)
    path = next(path.iterdir()) if path.is_dir() else path
    path.write_bytes(b"{\xff}")
    before = user.files()
    assert "is not UTF-8" in user.install(agent, scope, code=2).stderr
    assert user.files() == before


@EACH
def test_a_read_only_file_is_refused(user, agent, scope):
    user.install(agent, scope)
    before = user.files()
    path = user.path(agent, scope)
    path = next(path.iterdir()) if path.is_dir() else path
    path.chmod(0o444)
    assert "read-only" in user.install(agent, scope, "--observe", code=2).stderr
    assert "read-only" in user.hook("remove", "--agent", agent, "--yes", code=2).stderr
    assert user.files() == before


@EACH_JSON
def test_a_link_stays_a_link_and_the_mode_stays(user, agent, scope):
    path, target = user.path(agent, scope), user.home / "dotfiles" / "settings.json"
    path.parent.mkdir(parents=True)
    target.parent.mkdir()
    target.write_text("{}\n")
    target.chmod(0o640)
    path.symlink_to(target)
    user.install(agent, scope)
    assert path.is_symlink()
    assert len(target.read_text()) > 100
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    user.hook("remove", "--agent", agent, "--yes")
    assert path.is_symlink()
    assert target.read_text() == "{}\n"


@pytest.mark.parametrize("agent", JSON_AGENTS)
@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }", "{\n}\n", '{"hooks": {}}', '{\n  "hooks": {\n  }\n}'])
def test_empty_files(user, agent, text):
    path = user.path(agent)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    user.install(agent)
    assert len(user.settings(agent)["hooks"]) == len(AGENT_FILES[agent].events)
    user.hook("remove", "--agent", agent, "--yes")
    assert path.read_text() == text


def test_a_program_of_the_user_is_not_replaced(user):
    for agent, name in (("cline", "TaskStart.sh"), ("opencode", "")):
        path = user.path(agent) / name if name else user.path(agent)
        path.parent.mkdir(parents=True)
        path.write_text("mine")
        before = user.files()
        assert "was not written by harnlite" in user.install(agent, code=2).stderr
        user.hook("remove", "--agent", agent, "--yes")
        assert user.files() == before


def test_scripts_are_programs(user):
    user.install("cline")
    for path in user.path("cline").iterdir():
        assert os.access(path, os.X_OK)


def test_scripts_that_are_no_longer_wanted_are_deleted(user):
    user.install("cline", "user", "--rules", "secrets")
    assert (user.path("cline") / "PreToolUse.sh").exists()
    user.install("cline", "user", "--rules", "context")
    assert not (user.path("cline") / "PreToolUse.sh").exists()


HOMES = [
    ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
    ("codex", "CODEX_HOME", "hooks.json"),
    ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ("copilot", "COPILOT_HOME", "hooks/harnlite.json"),
    ("cline", "CLINE_DIR", "hooks/TaskStart.sh"),
    ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/harnlite.js"),
]


@pytest.mark.parametrize(("agent", "variable", "path"), HOMES)
def test_folders_that_agents_are_told_by_variables(user, agent, variable, path, tmp_path, monkeypatch):
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    before = user.files()
    user.install(agent)
    assert (tmp_path / "elsewhere" / path).is_file()
    assert user.files() == before


def test_a_folder_without_a_project_is_its_own_project(user, tmp_path, monkeypatch):
    folder = tmp_path / "bare"
    folder.mkdir()
    monkeypatch.chdir(folder)
    user.install("claude-code", "project")
    assert (folder / ".claude" / "settings.json").is_file()


def test_the_project_is_that_of_the_repository(user, monkeypatch):
    folder = user.project / "src" / "deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    user.install("claude-code", "project")
    assert (user.project / ".claude" / "settings.json").is_file()


def test_the_home_folder_is_no_project(user, monkeypatch):
    (user.home / ".git").mkdir()
    monkeypatch.chdir(user.home)
    assert "the home folder is not a project" in user.install("claude-code", "project", code=2).stderr
    user.install("claude-code")
    (user.home / "notes").mkdir()
    monkeypatch.chdir(user.home / "notes")
    user.install("claude-code", "project")
    assert (user.home / "notes" / ".claude").is_dir()
