"""Skills: registries, rendering, matching, and discovery."""

import subprocess
import sys
import textwrap

import pytest

from harnlite import Engine
from harnlite.agent.skills import catalog
from harnlite.agent.skills.discovery import read_skill
from harnlite.agent.skills.matching import candidates, fits_path, query_tokens

AGAIN = (
    '[{"description":"Again.","name":"b","short":"Again."},'
    '{"description":"First.","name":"a","namespace":"ns","short":"x"}]'
)
CATALOG = (
    '[{"description":"Second.","name":"b","when_to_use":"later"},'
    '{"description":"First.","name":"ns/a","when_to_use":null}]'
)
WRONG_PREFIX = (
    "skill_define: 'allowed_tools' entry 'tag:x' contains ':' — only the `namespace:<tag>` prefix is recognized"
)
NOT_A_REGISTRY = "argument must be a skill registry (created with skill_registry())"


def play(body, **engine):
    result = Engine(cache=False, **engine).run(f"pipeline default() {{\n{textwrap.dedent(body)}\n}}\n")
    assert result.error is None, result.error
    return result.stdout.splitlines()


def test_registries():
    lines = play(
        """
        let one = skill_define(skill_registry(), "b", {short: "Second.", when_to_use: "later", on_activate: { -> 1 }})
        let two = skill_define(one, "a", {description: "First.", short: "x", namespace: "ns"})
        let three = skill_define(two, "b", {short: "Again."})
        println(json_stringify(skill_registry()))
        println(skill_list(one).map({ entry -> keys(entry) }))
        println(json_stringify(three.skills))
        println("${skill_find(two, "a").description} ${skill_find(two, "c")} ${skill_count(two)}")
        println("${skill_count(skill_select(two, ["a"]))} ${skill_count(skill_remove(two, "a"))}")
        println(skill_describe(two))
        println(skill_describe(skill_registry()))
        println(json_stringify(skills_catalog_entries(two)))
        """
    )
    assert lines[:5] == [
        '{"_type":"skill_registry","skills":[]}',
        "[[description, name, short, when_to_use]]",
        AGAIN,
        "First. nil 2",
        "1 1",
    ]
    assert lines[5:] == [
        "Available skills:",
        "- a: First.",
        "- b: Second.",
        "  when: later",
        "Available skills:",
        "(none)",
        CATALOG,
    ]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ('skill_define({}, "x", {})', f"skill_define: {NOT_A_REGISTRY}"),
        ('skill_define(5, "x", {})', "Type error: 'skill_define' parameter `registry` expects dict, got int"),
        (
            "skill_define(skill_registry(), 5, {})",
            "Type error: 'skill_define' parameter `name` expects string, got int",
        ),
        ('skill_define(skill_registry(), " ", {})', "skill_define: skill name must be a non-empty string"),
        ('skill_define(skill_registry(), "x", {body: 5})', "skill_define: 'body' must be a string"),
        ('skill_define(skill_registry(), "x", {paths: "a"})', "skill_define: 'paths' must be a list"),
        (
            'skill_define(skill_registry(), "x", {allowed_tools: ["namespace:"]})',
            "skill_define: 'allowed_tools' entry 'namespace:' missing a tag after the colon",
        ),
        (
            'skill_define(skill_registry(), "x", {allowed_tools: ["tag:x"]})',
            WRONG_PREFIX,
        ),
        ("skill_list({})", f"skill_list: {NOT_A_REGISTRY}"),
        ("skill_count({})", f"skill_count: {NOT_A_REGISTRY}"),
        ('load_skill("")', "load_skill: requires a non-empty skill name"),
        ("load_skill(5)", "Type error: 'load_skill' parameter `name` expects dict | string, got int"),
        (
            'load_skill("x")',
            "load_skill: no skill registry is bound to this scope. Start the VM with discovered skills first.",
        ),
    ],
)
def test_errors(call, text, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HARN_SKILLS_PATH", raising=False)
    assert play(f"try {{ {call} }} catch (e) {{ println(e) }}", cwd=str(tmp_path)) == [text]


def test_the_catalog_keeps_within_its_budget():
    rows = [{"name": f"s{at}", "description": "d" * 50, "when_to_use": None} for at in range(5)]
    assert catalog.catalog_text([]).endswith("becomes relevant.\n\n(none)")
    assert catalog.catalog_text(rows).count("\n- `") == 5
    short = catalog.catalog_text(rows, 300)
    assert short.endswith("\n\n... 3 more skill(s) omitted to stay within budget.")
    assert catalog.catalog_text(rows, limit=1).endswith("\n\n... 4 more skill(s) omitted to stay within budget.")


def test_placeholders(monkeypatch):
    monkeypatch.setenv("HARN_SKILL_TEST", "set")
    monkeypatch.delenv("HARN_UNSET", raising=False)
    body = "$ARGUMENTS|$1|$2|$3|$0|$10|$$1|$x|${HARN_SKILL_DIR}|${HARN_SESSION_ID}|${HARN_SKILL_TEST}|${HARN_UNSET}|$"
    run = Engine(cache=False).execution()
    run.context["agent_session_id"] = "s1"
    found = catalog.render(run, {"name": "s", "body": body, "skill_dir": "/d"}, ["a", 2])
    assert found == "a 2|a|2|$3|$0|$10|$1|$x|/d|s1|set|${HARN_UNSET}|$"
    assert catalog.render(run, "plain $1", None) == "plain $1"
    assert catalog.render(run, {"name": "s"}, []) == ""


def test_variables_in_placeholders_need_the_capability(monkeypatch):
    monkeypatch.setenv("HARN_SKILL_KEY", "hunter2")
    body = 'println(skill_render({name: "s", body: "\\${HARN_SKILL_KEY}"}))'
    shown = {allow: play(body, deny=["env"], allow=[allow] if allow else []) for allow in ("", "env=HARN_SKILL_*")}
    assert play(body) == ["hunter2"]
    assert shown == {"": ["${HARN_SKILL_KEY}"], "env=HARN_SKILL_*": ["hunter2"]}


def test_matching():
    deploy = {"name": "deploy-app", "description": "Ships releases.", "when_to_use": "deploy to production"}
    other = {"name": "other", "description": "Nothing here.", "paths": ["src/**/*.py", "*.md"]}
    hidden = {"name": "hidden", "description": "deploy production", "disable_model_invocation": True}
    assert query_tokens("Please DEPLOY the app, now deploy!") == ["deploy", "app"]
    found = candidates([other, deploy, hidden], "deploy the app to production", ["src/a/b.py", "x.md"])
    assert [(one.entry["name"], one.score, one.trigger) for one in found] == [
        ("other", 3.0, "2 path glob(s) matched"),
        ("deploy-app", 2 / 3.5 + 2, "2 keyword hit(s); task mentions 'deploy-app'"),
    ]


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", False),
        ("**/*.py", "a.py", True),
        ("src/**", "src/a/b", True),
        ("src/**/x/*.py", "src/a/b/x/c.py", True),
        ("./src/?.py", "src/a.py", True),
        ("src/?.py", "src/ab.py", False),
    ],
)
def test_globs_of_paths(glob, path, fits):
    assert fits_path(glob, path) is fits


def write(folder, name, text):
    place = folder / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(text)


def test_the_global_registry_holds_what_was_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(tmp_path / "given", "greet", "---\nshort: Given.\n---\nHello\n")
    source = """
        println(skill_describe(skills), skills._type)
        println(skill_find(skills, "greet").body.trim())
        fn own(skills) { return skills }
        println(own(1))
        """
    lines = play(source, cwd=str(tmp_path), skill_dirs=["given"])
    assert lines == ["Available skills:", "- greet: Given. skill_registry", "Hello", "1"]
    assert play("println(skills)", cwd=str(tmp_path)) == ["{_type: skill_registry, skills: []}"]
    assert play("println(skills)", cwd=str(tmp_path), skill_dirs=["given"], sandbox=True) == [
        "{_type: skill_registry, skills: []}"
    ]
    assert play("let skills = 2\nprintln(skills)", cwd=str(tmp_path), skill_dirs=["given"]) == ["2"]


def test_skills_are_found_and_the_first_of_a_name_wins(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARN_SKILLS_PATH", str(tmp_path / "env"))
    write(tmp_path / "given", "greet", "---\nshort: Given.\n---\nHello $1 from ${HARN_SKILL_DIR}\n")
    write(tmp_path / "env", "greet", "---\nshort: Hidden by the one given.\n---\nnever\n")
    write(tmp_path / "env", "team/review", "---\nshort: Reviews.\n---\nteam\n")
    write(tmp_path / "env", "lone/review", "---\nshort: Reviews too.\n---\nlone\n")
    write(tmp_path / ".harn" / "skills", "project", "---\nname: named\nshort: Of the project.\n---\nproject\n")
    write(tmp_path / ".harn" / "skills", "broken", "---\nname: x\n---\nno short\n")
    lines = play(
        """
        println(load_skill({name: "greet", arguments: ["you"]}))
        println(load_skill("named"))
        println(load_skill("team/review"))
        for name in ["review", "nope", "broken"] { try { load_skill(name) } catch (e) { println(e) } }
        try { load_skill({name: "greet", require_signature: true}) } catch (e) { println(e) }
        """,
        cwd=str(tmp_path),
        skill_dirs=["given"],
    )
    assert lines == [
        f"Hello you from {tmp_path}/given/greet",
        "",
        "project",
        "",
        "team",
        "",
        "Error [tool_rejected]: skill 'review' is ambiguous; use the fully qualified id from the catalog",
        "Error [tool_rejected]: skill_not_found: skill 'nope' not found",
        "Error [tool_rejected]: skill_not_found: skill 'broken' not found",
        "Error [tool_rejected]: skill_signature_required: skill 'greet' is not signed",
    ]


def test_front_matter():
    entry = read_skill("---\nshort: S\nwhen-to-use: W\nallowed-tools: a, b\nunknown: 1\n---\n\nbody\n", "folder")
    assert entry == {
        "name": "folder",
        "short": "S",
        "description": "S",
        "when_to_use": "W",
        "allowed_tools": ["a", "b"],
        "body": "body\n",
    }
    with pytest.raises(ValueError, match="no closing"):
        read_skill("---\nshort: S\n", "folder")


def test_the_command_line_names_folders(tmp_path):
    write(tmp_path / "given", "greet", "---\nshort: Given.\n---\nHello\n")
    script = tmp_path / "main.harn"
    script.write_text('pipeline default() { println(load_skill("greet")) }\n')
    command = [sys.executable, "-m", "harnlite", "run", "--skill-dir", str(tmp_path / "given"), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("Hello\n\n", "")
