"""The VS Code extension: the files it refers to exist, its patterns compile, and it starts the server."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXTENSION = HERE.parents[1] / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())
LANGUAGE = json.loads((EXTENSION / "language-configuration.json").read_text())
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node here")


def node(*arguments):
    result = subprocess.run([NODE, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_file_it_names_exists():
    names = re.findall(r'"(\./[^"]+)"', (EXTENSION / "package.json").read_text())
    assert len(names) >= 4
    for name in names:
        assert (EXTENSION / name).is_file(), name


def test_the_settings():
    settings = MANIFEST["contributes"]["configuration"]["properties"]
    assert settings.keys() == {"harnlite.path", "harnlite.trace.server"}
    readme = (EXTENSION / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in settings)


def patterns():
    indent = LANGUAGE["indentationRules"]
    rules = [rule[key] for rule in LANGUAGE["onEnterRules"] for key in ("beforeText", "afterText") if key in rule]
    return {**indent, **LANGUAGE["folding"]["markers"], **{str(number): rule for number, rule in enumerate(rules)}}


def matches(table):
    """Return what JavaScript finds: for each row of pattern, flags and text all matches."""
    script = "JSON.parse(process.argv[1]).map(([p, f, t]) => [...t.matchAll(new RegExp(p, f + 'g'))].map((m) => m[0]))"
    return json.loads(node("-e", f"console.log(JSON.stringify({script}))", json.dumps(table)))


@needs_node
def test_every_pattern_compiles():
    assert matches([[pattern, "", ""] for pattern in patterns().values()])


@needs_node
def test_words():
    word = LANGUAGE["wordPattern"]
    text = "größe2.to_text(0.5, 10ms) 日本 a-b _x"
    assert matches([[word["pattern"], word["flags"], text]]) == [
        ["größe2", "to_text", "0.5", "10ms", "日本", "a", "b", "_x"]
    ]


@needs_node
@pytest.mark.parametrize(
    ("line", "more", "less"),
    [
        ("pipeline default() {", True, False),
        ("let xs = [", True, False),
        ("f(", True, False),
        ("xs.map({ x, y ->", True, False),
        ("if ready { // now", True, False),
        ("} else {", True, True),
        ("}", False, True),
        ("  ])", False, True),
        ("let d = {a: 1}", False, False),
        ("// a {", False, False),
        ("let x = 1", False, False),
    ],
)
def test_indentation(line, more, less):
    rules = LANGUAGE["indentationRules"]
    found = matches([[rules["increaseIndentPattern"], "", line], [rules["decreaseIndentPattern"], "", line]])
    assert [bool(one) for one in found] == [more, less]


def run(client):
    return json.loads(node(HERE / "extension_test.js", EXTENSION / "extension.js", client))


@needs_node
def test_it_starts_the_server_and_starts_it_again():
    server = {"command": "/project/bin/harnlite", "args": ["lsp"]}
    client = ["client", "harnlite", server, [{"language": "harn"}], "**/{*.harn,harn.toml,pyproject.toml}"]
    assert run("with") == [client, ["start"], ["stop"], client, ["start"], ["stop"], client, ["start"], ["stop"]]


@needs_node
def test_without_the_client_it_says_how_to_get_it():
    events = run("without")
    assert {event[0] for event in events} == {"information"}
    assert "npm install" in events[0][1]


@needs_node
def test_a_program_that_is_not_there_is_named():
    errors = [event[1] for event in run("broken") if event[0] == "error"]
    assert "/project/bin/harnlite lsp" in errors[0]
    assert "spawn ENOENT" in errors[0]
