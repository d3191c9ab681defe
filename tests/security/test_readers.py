"""Tools, prompts, skills, imports and hooks read nothing outside what a run may read, whatever a path looks like."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import harnlite
from harnlite.analysis.files import import_files
from harnlite.runtime.access_control import ModuleOpener
from tests.commands import run_command
from tests.samples import count, sampled

CANARY = "canary-7f3b"
LEAK = "leak_7f3b"

FILES = [
    "{out}/secret.txt",
    "{out}//secret.txt",
    "{out}/./secret.txt",
    "{out}/skill/../secret.txt",
    "../out/secret.txt",
    "docs/../../out/secret.txt",
    "docs/link/secret.txt",
    "./docs//link//secret.txt",
    "docs/file.txt",
    "docs/file.txt/",
    "link/secret.txt",
    "/proc/self/root{out}/secret.txt",
    "/proc/{pid}/root{out}/secret.txt",
    "/proc/self/cwd/../out/secret.txt",
    "/proc/self/fd/{file}",
    "/proc/thread-self/fd/{file}",
    "/dev/fd/{file}",
    "/proc/self/fd/{folder}/secret.txt",
    "/proc/self/environ",
    "/proc/thread-self/environ",
    "/proc/{pid}/environ",
    "/proc/{pid}/task/{pid}/environ",
    "/proc/self/root/proc/self/environ",
]
FOLDERS = ["{out}", "../out", "docs/link", "docs/link/", "docs/../link", "/dev/fd/{folder}", "/proc/self/root{out}"]

CALL = 'agent_dispatch_tool_call({id: "1", name: "TOOL", arguments: {path: PATH}}, tool_registry())'
READERS = [
    "read_file(PATH)",
    "read_file_result(PATH)",
    "read_lines(PATH)",
    "stat(PATH)",
    "file_exists(PATH)",
    "agent_session_seed_from_jsonl(PATH)",
    CALL.replace("TOOL", "read_file"),
    'agent_loop("t", nil, {provider: "mock", loop_until_done: true, prompts: {"agent.loop_contract": {path: PATH}}})',
]
LISTERS = [
    "list_dir(PATH)",
    'glob("**", PATH)',
    "walk_dir(PATH, {follow_symlinks: true})",
    CALL.replace("TOOL", "list_directory"),
]
SKILLS = ["leak", "linked", "linked_file", "skill", "skill/leak"]

MODES: dict[str, dict[str, list[str]]] = {
    "denied": {"deny": ["fs.read,env"]},
    "scope of a folder": {"allow": ["fs.read=docs"], "deny": ["env"]},
    "scope of the project": {"allow": ["fs.read=."], "deny": ["env"]},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with links to a folder outside, which holds the canaries."""
    out, own = tmp_path / "out", tmp_path / "own"
    (out / "skill").mkdir(parents=True)
    (out / CANARY).mkdir()
    (out / "secret.txt").write_text(CANARY + "\n", encoding="utf-8")
    (out / "secret.harn").write_text(f'pub fn {LEAK}() {{ return "{CANARY}" }}\n', encoding="utf-8")
    (out / "skill" / "SKILL.md").write_text(f"---\nname: leak\nshort: s\n---\n{CANARY}\n", encoding="utf-8")
    (own / "docs").mkdir(parents=True)
    for folder in (own, own / "docs"):
        (folder / "link").symlink_to(out)
        (folder / "file.txt").symlink_to(out / "secret.txt")
        (folder / "module.harn").symlink_to(out / "secret.harn")
    skills = own / ".harn" / "skills"
    (skills / "linked_file").mkdir(parents=True)
    (skills / "linked").symlink_to(out / "skill")
    (skills / "linked_file" / "SKILL.md").symlink_to(out / "skill" / "SKILL.md")
    (own / ".harn" / "packages").symlink_to(out)
    (own / "harn.toml").write_text('[skills]\npaths = ["../out", "link"]\n', encoding="utf-8")
    monkeypatch.setenv("SECRET_TOKEN", CANARY)
    monkeypatch.setenv("HARN_SECRET_KEY", CANARY)
    monkeypatch.chdir(own)
    return own


@pytest.fixture
def spelled(project: Path) -> Iterator[dict[str, object]]:
    """What the spellings of paths refer to: among them open files, whose descriptors are paths too."""
    out = project.parent / "out"
    file, folder = os.open(out / "secret.txt", os.O_RDONLY), os.open(out, os.O_RDONLY)
    yield {"out": out, "pid": os.getpid(), "file": file, "folder": folder}
    os.close(file)
    os.close(folder)


def run(project: Path, text: str, **mode: list[str]) -> tuple[str, harnlite.RunResult]:
    """Run a program of the project; return all that it shows, and the result."""
    (project / "main.harn").write_text(text, encoding="utf-8")
    result = harnlite.Engine(cache=False, cwd=str(project), **mode).run(project / "main.harn")
    shown = [finding.message + "".join(finding.help) for finding in result.diagnostics]
    return "\n".join([result.stdout, result.stderr, str(result.error), *shown]), result


@pytest.mark.parametrize("mode", MODES)
def test_no_spelling_of_a_path_leads_outside(project: Path, spelled: dict[str, object], mode: str) -> None:
    calls = [(READERS, path) for path in FILES] + [(LISTERS, path) for path in FOLDERS]
    expressions = [
        *(form.replace("PATH", json.dumps(path.format(**spelled))) for forms, path in calls for form in forms),
        *(f'load_skill("{name}")' for name in SKILLS),
        'skill_render("\\${HARN_SECRET_KEY}")',
        'env("SECRET_TOKEN")',
        'walk_dir(".", {follow_symlinks: true})',
        'glob("**")',
    ]
    text = "\n".join(
        f'println(try {{ json_stringify({call}) }} catch (e) {{ e }})\nprintln("{index} done")'
        for index, call in enumerate(expressions)
    )
    shown, result = run(project, text, **MODES[mode])
    assert result.error is None, result.error
    assert result.stdout.count(" done\n") == len(expressions)
    assert [line for line in shown.splitlines() if CANARY in line] == []


def test_without_permissions_the_same_paths_lead_there(project: Path, spelled: dict[str, object]) -> None:
    known = [path for path in FILES if "environ" not in path and not path.endswith("/")]
    text = "\n".join(f"println(read_file({json.dumps(path.format(**spelled))}))" for path in known)
    assert run(project, text)[1].stdout.count(CANARY) == len(known)
    assert CANARY in run(project, 'println(load_skill("leak"))')[0]


def test_what_is_in_the_scope_can_be_read(project: Path) -> None:
    (project / "docs" / "a.txt").write_text("hello", encoding="utf-8")
    skill = project / "docs" / "skills" / "greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greet\nshort: s\n---\nGood day", encoding="utf-8")
    (project.parent / "shared.harn").write_text("pub fn shared() { return 5 }\n", encoding="utf-8")
    calls = [
        CALL.replace("TOOL", "read_file").replace("PATH", '"docs/a.txt"') + ".result",
        CALL.replace("TOOL", "list_directory").replace("PATH", '"docs"') + ".result",
        'load_skill("greet")',
        "shared()",
        'llm_mock({text: "##DONE##"})',
        READERS[-1].replace("PATH", '"docs/a.txt"') + ".status",
        'llm_mock_calls()[0].system.split("\\n")[0]',
    ]
    text = 'import "../shared"\n' + "\n".join(f"println({call})" for call in calls)
    (project / "harn.toml").write_text('[skills]\npaths = ["docs/skills"]\n', encoding="utf-8")
    result = run(project, text, allow=["fs.read=docs:../shared.harn"])[1]
    lines = "1\thello\na.txt\nfile.txt\nlink\nmodule.harn\nskills/\nGood day\n5\nnil\ndone\nhello\n"
    assert result.stdout == lines, result.error


IMPORTS = [
    *(
        "../out/secret",
        "../out/secret.harn",
        "{out}/secret",
        "link/secret",
        "docs/link/secret",
        "module",
        "module.harn",
    ),
    *("docs/module", "/etc/passwd", "/etc", "/proc/self/environ", "/proc/self/root{out}/secret.harn", "/dev/fd/{file}"),
    *("../out/nowhere", "docs/../../out/secret", "../out/secret.txt", "file.txt"),
]


@pytest.mark.parametrize("mode", MODES)
def test_no_import_leads_outside(project: Path, spelled: dict[str, object], mode: str) -> None:
    for name in IMPORTS:
        path = name.format(**spelled)
        for form in (f'import "{path}"', f'import {{ {LEAK} }} from "{path}"', f'pub import "{path}"'):
            text = f"{form}\nprintln({LEAK}(1, 2, 3))\nprintln({LEAK[:-1]}())\n"
            shown, result = run(project, text, **MODES[mode])
            assert CANARY not in shown
            assert result.stdout == ""
            assert f"Import error: cannot read '{path}' outside the folder of the program: it needs" in str(
                result.error
            )


def test_the_static_check_opens_only_what_the_run_may_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openers: list[object] = []

    def recording(*given: object, opener: object = None) -> object:
        openers.append(opener)
        return open(*given, opener=opener)  # type: ignore[call-overload]

    monkeypatch.setattr(import_files, "open", recording, raising=False)
    run(project, 'import "../out/secret"\nimport "std/math"\n', deny=["fs.read"])
    assert openers
    assert all(isinstance(opener, ModuleOpener) for opener in openers)


def test_the_configuration_of_the_project_limits_the_static_check(project: Path) -> None:
    (project / "harn.toml").write_text('[capabilities]\ndeny = ["fs.read"]\n', encoding="utf-8")
    shown, _ = run(project, f'import {{ {LEAK} }} from "../out/secret"\nprintln({LEAK}(1, 2))\n')
    assert (
        "cannot read '../out/secret' outside the folder of the program: it needs fs.read (harn.toml denies it)" in shown
    )


def test_the_code_cache_hands_over_nothing(project: Path, tmp_path: Path) -> None:
    program = project / "main.harn"
    program.write_text(f'import {{ {LEAK} }} from "../out/secret"\nprintln({LEAK}())\n', encoding="utf-8")
    (tmp_path / "cache").mkdir(mode=0o700)
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def entries() -> int:
        return sum(path.is_file() for path in (tmp_path / "cache").rglob("*.harnc"))

    assert CANARY not in (refused := run_command("run", "--deny", "fs.read", program, env=env)).stdout + refused.stderr
    assert entries() == 0
    assert run_command("run", program, env=env).stdout == CANARY + "\n"
    assert entries() == 2
    for options in (["--deny", "fs.read"], ["--sandbox"], ["--allow", "fs.read=docs"]):
        refused = run_command("run", *options, program, env=env)
        assert CANARY not in refused.stdout + refused.stderr
        assert "outside the folder of the program" in refused.stderr
    assert run_command("run", program, env=env).stdout == CANARY + "\n"


def test_a_handler_in_the_configuration_is_an_import(project: Path) -> None:
    entry = '[[hooks]]\nevent = "PreToolUse"\npattern = "*"\nhandler = "{}::' + LEAK + '"\n'
    for handler in ("../out/secret.harn", "link/secret.harn", "module.harn"):
        (project / "harn.toml").write_text(entry.format(handler), encoding="utf-8")
        assert run(project, 'println("after")')[1].stdout == "after\n"
        result = run(project, 'println("after")', deny=["fs.read"])[1]
        assert result.stdout == ""
        assert "outside the folder of the program: it needs fs.read" in str(result.error)
    (project / "guard.harn").write_text(f"pub fn {LEAK}(call) {{ return nil }}\n", encoding="utf-8")
    (project / "harn.toml").write_text(entry.format("guard.harn"), encoding="utf-8")
    assert run(project, 'println("after")', deny=["fs.read"])[1].stdout == "after\n"


def test_an_address_in_a_variable_that_a_project_names_is_not_shown(project: Path) -> None:
    table = '[llm.providers.mine]\nbase_url_env = "SECRET_TOKEN"\nbase_url = "http://localhost"\n'
    (project / "harn.toml").write_text(table, encoding="utf-8")
    text = 'println(llm_config("mine").base_url)'
    assert run(project, text)[1].stdout == f"https://{CANARY}\n"
    assert run(project, text, deny=["env"])[1].stdout == "http://localhost\n"
    assert run(project, text, deny=["env"], allow=["env=SECRET_TOKEN"])[1].stdout == f"https://{CANARY}\n"


RACES = {
    "tool": (
        f"for i in 1 to {count(150, 30)} {{ println(try {{ "
        + CALL.replace("TOOL", "read_file").replace("PATH", '"docs/moving/secret.txt"')
        + '.result } catch (e) { "no" }) }'
    ),
    "builtin": (
        f"for i in 1 to {count(1500, 200)} {{ "
        'println(try { read_file("docs/moving/secret.txt") } catch (e) { "no" }) }'
    ),
    "import": 'import "moving/secret.txt"\n',
}


@sampled
@pytest.mark.parametrize("name", RACES)
def test_a_folder_that_becomes_a_link_between_check_and_use(project: Path, name: str) -> None:
    here = project / "docs" if name != "import" else project
    moving, kept = here / "moving", here / "kept"
    moving.mkdir()
    (moving / "secret.txt").write_text("fn mine() { return 1 }\n", encoding="utf-8")
    stopped = threading.Event()

    def swap() -> None:
        while not stopped.is_set():
            moving.rename(kept)
            moving.symlink_to(project.parent / "out")
            moving.unlink()
            kept.rename(moving)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        mode = ["fs.read=docs"] if name != "import" else ["fs.read=nothing"]
        for _ in range(1 if name != "import" else count(100, 15)):
            shown, _ = run(project, RACES[name], allow=mode)
            assert CANARY not in shown
            assert "7f3b" not in shown
    finally:
        stopped.set()
        thread.join()
