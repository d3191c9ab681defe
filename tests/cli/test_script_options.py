"""The options that limit scripts, through the real command line: --allow, --deny, --sandbox, --limit, --max-memory."""

import pytest

from harnlite.capabilities.catalogue import CAPABILITIES
from harnlite.capabilities.limit_table import NAMES
from tests.commands import run_command

PROBES = {
    "fs.read docs": 'read_file("docs/a.txt")',
    "fs.read secret": 'read_file("secret.txt")',
    "fs.write": 'write_file("out/b.txt", "b")',
    "process": 'shell("echo c").stdout',
    "env": 'env("PROBE") ?? "none"',
}
ALL = "fs.read docs, fs.read secret, fs.write, process, env"
SCRIPT = "\n".join(
    f'try {{ {call}\nprintln("open: {name}") }} catch e {{ println("barred: ${{e}}") }}'
    for name, call in PROBES.items()
)
COMBINATIONS = [
    ("", "", ALL),
    ("--allow fs.read=docs", "", "fs.read docs, fs.write, process, env"),
    ("--allow fs.read", "", ALL),
    ("--deny fs.read", "", "fs.write, process, env"),
    ("--deny fs.read,env --deny process", "", "fs.write"),
    ("--deny fs.read --allow fs.read=docs", "", "fs.read docs, fs.write, process, env"),
    ("--deny fs.read --allow fs.read", "", "fs.write, process, env"),
    ("--sandbox", "", ""),
    ("--sandbox --allow env", "", "env"),
    ("--sandbox --allow fs.read=docs --allow env", "", "fs.read docs, env"),
    ("--sandbox --deny env --allow env", "", ""),
    ("", 'deny = ["process"]', "fs.read docs, fs.read secret, fs.write, env"),
    ("--allow process", 'deny = ["process"]', "fs.read docs, fs.read secret, fs.write, env"),
    ("--deny process", 'allow = ["process"]', "fs.read docs, fs.read secret, fs.write, env"),
    ("--sandbox", 'allow = ["process", "env"]', ""),
    ("", 'allow = ["fs.read=docs"]', "fs.read docs, fs.write, process, env"),
    ("--allow fs.read=.", 'allow = ["fs.read=docs"]', "fs.read docs, fs.write, process, env"),
    ("--sandbox --allow fs.read", 'deny = ["fs.read"]\nallow = ["fs.read=docs"]', "fs.read docs"),
]


@pytest.fixture
def project(tmp_path):
    """Return a function that runs a command in a folder with files, and returns the result."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("s")

    def run(command, options, script, table="", limits="", **env):
        (tmp_path / "harn.toml").write_text(f"[capabilities]\n{table}\n[limits]\n{limits}\n")
        (tmp_path / "a_test.harn").write_text(script)
        given = {"PATH": "/usr/bin:/bin", "PROBE": "1", "HARNLITE_CACHE": "off", **env}
        words = {"run": ["a_test.harn"], "test": ["--isolated", "a_test.harn"], "repl": []}[command]
        return run_command(
            command, *options.split(), *words, cwd=tmp_path, env=given, stdin=script if command == "repl" else ""
        )

    return run


@pytest.mark.parametrize("command", ["run", "repl"])
@pytest.mark.parametrize(("options", "table", "opened"), COMBINATIONS)
def test_combinations(project, command, options, table, opened):
    done = project(command, options, SCRIPT, table)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line[6:] for line in lines if line.startswith("open: ")] == opened.split(", ") * (opened != "")
    assert len(lines) == len(PROBES)
    barred = [line for line in lines if line.startswith("barred: ")]
    assert all(line.startswith("barred: Error [tool_rejected]: Tool '") and "it needs " in line for line in barred)


@pytest.mark.parametrize(("options", "table", "opened"), COMBINATIONS)
def test_combinations_of_test(project, options, table, opened):
    checks = [
        f"fn f{n}() {{ {call} }}\nassert(is_ok(try {{ f{n}() }}) == {str(name in opened.split(', ')).lower()})"
        for n, (name, call) in enumerate(PROBES.items())
    ]
    done = project("test", options, "\n".join(checks), table)
    assert done.returncode == 0, done.stdout


MISTAKES = [
    ("--allow fs.raed", "unknown capability 'fs.raed'; did you mean fs.read? (known: " + ", ".join(CAPABILITIES)),
    ("--deny nett", "unknown capability 'nett'; did you mean net? (known: "),
    ("--allow fs.read=", "fs.read=: an empty scope; write fs.read for all of it, or fs.read=SCOPE"),
    ("--allow fs.read=a::b", "fs.read=a::b: an empty scope"),
    ("--allow llm=x", "llm has no scopes: write llm alone"),
    ("--allow net=a:b", "net=a:b: 'a:b' is not an address: 'b' is not a port"),
    ("--deny fs.read=/x", "to allow it only in /x, allow fs.read=/x alone"),
    ("--limit yaml_dept=3", "unknown limit 'yaml_dept', did you mean 'yaml_depth'? the limits are " + ", ".join(NAMES)),
    ("--limit yaml_depth", "'yaml_depth' is not of the form NAME=N"),
    ("--limit yaml_depth=x", "the limit 'yaml_depth' must be an int of at least 1"),
    ("--limit yaml_depth=0", "the limit 'yaml_depth' must be an int of at least 1"),
    ("--max-memory 1x", "--max-memory: '1x' is not a size: write for example 512MB, 1GiB or 1000000"),
    ("--max-memory 10", "--max-memory: the limit 'max_memory' must be a size of at least 1000000"),
]


@pytest.mark.parametrize("command", ["run", "test", "repl"])
@pytest.mark.parametrize(("options", "message"), MISTAKES)
def test_a_mistake_is_a_usage_error(project, command, options, message):
    done = project(command, options, "println(1)")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


NESTED = 'println(yaml_parse("[[[[]]]]"))'


@pytest.mark.parametrize(
    ("options", "variable", "limits", "most"),
    [
        ("--limit yaml_depth=3", "", "", 3),
        ("--limit yaml_depth=3 --limit yaml_depth=2", "", "", 2),
        ("", "yaml_depth=3", "", 3),
        ("", "", "yaml_depth = 3", 3),
        ("", "yaml_depth=3", "yaml_depth = 9", 3),
        ("--limit yaml_depth=2", "yaml_depth=3", "", 2),
        ("--sandbox", "", "yaml_depth = 3", 3),
        ("--limit yaml_depth=9", "yaml_depth=3", "yaml_depth = 2", None),
        ("", "yaml_depth=9", "yaml_depth = 2", None),
        ("--sandbox --limit yaml_depth=2", "", "yaml_depth = 9", 2),
    ],
)
def test_which_limit_applies(project, options, variable, limits, most):
    env = {"HARNLITE_LIMITS": variable} if variable else {}
    for command in ("run", "repl"):
        done = project(command, options, NESTED, limits=limits, **env)
        if most is None:
            assert done.stdout == "[[[[]]]]\n"
        else:
            assert f"more than {most} levels of nesting in a YAML document" in done.stderr
            assert "--limit yaml_depth=N" in done.stderr
    assert project("test", options, NESTED, limits=limits, **env).returncode == (most is not None)


@pytest.mark.parametrize(
    ("table", "limits", "message"),
    [
        (
            'deny = ["fs.raed"]',
            "",
            "harn.toml:2:1: capabilities.deny: unknown capability 'fs.raed'; did you mean fs.read?",
        ),
        ('allow = ["fs.read="]', "", "harn.toml:2:1: capabilities.allow: fs.read=: an empty scope"),
        ('alow = ["env"]', "", "harn.toml:2:1: unknown key 'capabilities.alow'; did you mean 'capabilities.allow'?"),
        ("deny = 1", "", "harn.toml:2:1: capabilities.deny must be a list"),
        ("deny = [1]", "", "harn.toml:2:1: capabilities.deny must be a list of strings"),
        ("", "yaml_dept = 1", "harn.toml:4:1: limits: unknown limit 'yaml_dept', did you mean 'yaml_depth'?"),
        ("", 'yaml_depth = "1"', "harn.toml:4:1: limits: the limit 'yaml_depth' must be an int of at least 1"),
        ("", 'max_memory = "1x"', "harn.toml:4:1: limits: '1x' is not a size"),
    ],
)
def test_a_mistake_in_the_configuration_has_a_place(project, tmp_path, table, limits, message):
    done = project("run", "", "println(1)", table, limits)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    lint = run_command("lint", "a_test.harn", cwd=tmp_path)
    assert lint.returncode == 2
    assert message in lint.stderr


def test_the_configuration_shows_the_limits(project, tmp_path):
    project("run", "", "println(1)", limits='max_memory = "64MB"')
    shown = run_command("config", cwd=tmp_path, env={"PATH": "/bin", "HARNLITE_LIMITS": "yaml_depth=7"}).stdout
    rows = {line.split(" = ")[0]: line.split() for line in shown.splitlines() if line.startswith("limits.")}
    assert list(rows) == [f"limits.{name}" for name in NAMES]
    assert rows["limits.yaml_depth"][-2:] == ['"7"', "HARNLITE_LIMITS"]
    assert rows["limits.max_memory"][-1] == str(tmp_path / "harn.toml")
    assert rows["limits.processes"][-2:] == ["256", "default"]


def test_output_is_limited(project):
    script = 'println("12345")\ntry { println("67890") } catch e { println(error_category(e)) }'
    done = project("run", "--limit output_bytes=9", script)
    assert (done.returncode, done.stdout) == (1, "12345\n")
    assert (
        "Error [budget_exceeded]: more than 9 bytes of output; raise the limit with --limit output_bytes=N"
        in done.stderr
    )
    done = project("run", "--limit output_bytes=30", script.replace("67890", "ä" * 20))
    assert (done.returncode, done.stdout) == (0, "12345\nbudget_exceeded\n")


def test_programs_at_once_are_limited(project):
    script = (
        'let command = "while [ ! -e go ]; do sleep 0.05; done; echo"\n'
        'let ts = [1, 2, 3].map({ i -> spawn { try { shell("${command} ${i}").stdout.trim() } catch e { e } } })\n'
        'let third = await(ts[2])\nwrite_file("go", "")\n'
        'println(await(ts[0]))\nprintln(await(ts[1]))\nprintln(third)\nprintln(shell("echo 4").stdout.trim())'
    )
    done = project("run", "--limit processes=2", script)
    text = "Error [budget_exceeded]: more than 2 programs running at once; raise the limit with --limit processes=N"
    assert done.stdout.splitlines() == ["1", "2", text, "4"]
