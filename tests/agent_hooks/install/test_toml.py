"""Hooks in `config.toml` of Codex, for users who keep theirs there."""

import tomllib

import pytest

MINE = """# mine
model = "gpt"

[[hooks.PostToolUse]]
matcher = "Bash"
[[hooks.PostToolUse.hooks]]
type = "command"
command = "echo '[x]'"

# the last table
[features]
web = true
"""
LAYOUTS = {"plain": MINE, "crlf": MINE.replace("\n", "\r\n"), "no end": MINE.rstrip("\n"), "mark": "\ufeff" + MINE}


@pytest.fixture
def config(user):
    path = user.home / ".codex" / "config.toml"
    path.parent.mkdir()
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_recorded", [True, False])
def test_hooks_are_added_where_hooks_are(user, config, layout, is_recorded):
    text = LAYOUTS[layout]
    config.write_bytes(text.encode())
    user.install("codex")
    changed = config.read_bytes().decode()
    assert changed.startswith(text)
    assert not (config.parent / "hooks.json").exists()
    data = tomllib.loads(changed.removeprefix("\ufeff"))
    assert [len(data["hooks"][event]) for event in ("PostToolUse", "SessionStart", "UserPromptSubmit")] == [2, 1, 1]
    assert data["hooks"]["PostToolUse"][1]["hooks"][0]["timeout"] == 5
    assert ("\r\n" in text) == ("\r\n" in changed)
    assert "nothing to change" in user.install("codex").stdout
    user.install("codex", "user", "--rules", "context")
    if not is_recorded:
        user.forget_records()
    user.hook("remove", "--agent", "codex", "--yes")
    restored = config.read_bytes().decode()
    assert restored == text or (not is_recorded and restored.rstrip() == text.rstrip())


def test_a_handler_that_was_moved_is_found(user, config):
    config.write_text(MINE)
    user.install("codex")
    text = config.read_text()
    moved = text.replace(
        "\n[[hooks.SessionStart]]\n", '\n[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = "x"\n'
    )
    config.write_text(moved + "\n[later]\na = 1\n")
    user.hook("remove", "--agent", "codex", "--yes")
    data = tomllib.loads(config.read_text())
    assert data["hooks"]["SessionStart"] == [{"hooks": [{"type": "x"}]}]
    assert data["later"] == {"a": 1}
    assert "start.py" not in config.read_text()


def test_approvals_alone_are_not_hooks(user, config):
    text = '[hooks.state."a"]\ntrusted_hash = "b"\n'
    config.write_text(text)
    user.install("codex")
    assert config.read_text() == text
    assert (config.parent / "hooks.json").is_file()


def test_hooks_stay_in_one_file(user, config):
    user.install("codex")
    config.write_text(MINE)
    user.install("codex", "user", "--rules", "context")
    assert config.read_text() == MINE


REFUSED = [
    ("a = \n", "1:5"),
    ("[[hooks.PostToolUse]]\nhooks = [\n", "3:1"),
    ('hooks = { PostToolUse = [{ hooks = [{ command = "x" }] }] }\n', "1:1"),
    ('[hooks]\nSessionStart = [{ hooks = [{ command = "x" }] }]\n', "1:2"),
]


@pytest.mark.parametrize(("text", "place"), REFUSED)
def test_a_file_that_cannot_be_extended_is_refused(user, config, text, place):
    config.write_text(text)
    result = user.install("codex", code=2)
    assert f"{config}:{place}" in result.stderr
    assert config.read_text() == text
