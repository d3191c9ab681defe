"""The command line as one table: arguments and stdin, and the expected stdout, stderr and exit status."""

import os
from typing import NamedTuple

import pytest

import harnlite
from tests.commands import run_command
from tests.samples import sampled

FILES = {
    "hello.harn": 'println("hello")\n',
    "value.harn": "pipeline default() {\n  return 7\n}\n",
    "big.harn": "return 1000\n",
    "negative.harn": "return -5\n",
    "float.harn": "return 2.5\n",
    "err.harn": 'return Err("no luck")\n',
    "empty_err.harn": 'return Err("")\n',
    "ok.harn": "return Ok(3)\n",
    "exit.harn": 'pipeline default() {\n  defer { println("bye") }\n  exit(4)\n}\n',
    "bad.harn": "let = 3\n",
    "unknown.harn": "pipeline default() {\n  nonsense(1)\n}\n",
    "throw.harn": 'fn boom(x) {\n  throw "no ${x}"\n}\n\npipeline default() {\n  boom("luck")\n}\n',
    "divide.harn": "fn inner(a) {\n  return 1 / a\n}\nfn outer(a) {\n  let x = inner(a)\n  return x\n}\nouter(0)\n",
    "params.harn": 'pipeline default(task, n) {\n  println("${task} ${n}")\n}\n',
    "unset.harn": "pipeline default(task) {\n  println(task)\n}\n",
    "argv.harn": "println(argv)\n",
    "echo.harn": "println(read_stdin())\n",
    "torn.jsonl": '{"text": "a"}\n{"text": }\n',
    "misspelt.jsonl": '{"txt": "a"}\n',
    "list.jsonl": "[]\n",
    "model_fails.harn": 'llm_mock({error: {category: "auth", message: "bad key"}})\nreturn agent_loop("x", "s")\n',
    "no_model.harn": 'tool t() { return 1 }\nagent_loop("x", "s", {tools: t, tool_format: "native"})\n',
    "warn.harn": "pipeline default() {\n  return 0\n  println(1)\n}\n",
}  # fmt: skip
NO_MODEL = tuple((name, "") for name in ("HARNLITE_LLM", "HARN_LLM_PROVIDER", "LLM_PROVIDER", "ANTHROPIC_API_KEY"))
THROWN = (
    'error: Thrown: no luck\n --> throw.harn:2:3\n  |\n2 |   throw "no ${x}"\n  |   ^^^^^^^^^^^^^^^\n'
    "calls, innermost first:\n  boom     throw.harn:2:3\n  default  throw.harn:6:3\n"
)  # fmt: skip
DIVIDED = (
    "error: Division by zero\n --> divide.harn:2:10\n  |\n2 |   return 1 / a\n  |          ^^^^^\n"
    "calls, innermost first:\n"
    "  inner     divide.harn:2:10\n  outer     divide.harn:5:11\n  <script>  divide.harn:8:1\n"
)
BAD = "error: Expected variable name, got = at 1:5\n --> {name}:1:5\n  |\n1 | let = 3\n  |     ^\n"


class Case(NamedTuple):
    """One call. An expectation that ends in `…` is only the beginning."""

    args: str
    code: int = 0
    out: str = ""
    err: str = ""
    stdin: str = ""
    env: tuple[tuple[str, str], ...] = ()


TABLE = [
    # running
    Case("run hello.harn", out="hello\n"),
    Case("run -", stdin='println("piped")', out="piped\n"),
    Case("", stdin='println("piped")', out="piped\n"),
    Case("run -c println(40+2)", out="42\n"),
    Case("run hello.harn --llm-mock torn.jsonl", 2, err="error: --llm-mock: torn.jsonl:2:10: expected value\n"),
    Case(
        "run hello.harn --llm-mock=misspelt.jsonl",
        2,
        err="error: --llm-mock: misspelt.jsonl:1: unknown key `txt`; did you mean `text`?\n",
    ),
    Case("run hello.harn --llm-mock list.jsonl", 2, err="error: --llm-mock: list.jsonl:1: not an object\n"),
    Case(
        "run hello.harn --llm-mock none.jsonl",
        2,
        err="error: --llm-mock: cannot read 'none.jsonl': No such file or directory\n",
    ),
    Case(
        "run params.harn --set tsk=1 --set n=2",
        2,
        err="error: --set: the program has no parameter 'tsk'; did you mean 'task'?\n",
    ),
    Case(
        "run params.harn --set task=1 --set-json number=2",
        2,
        err="error: --set-json: the program has no parameter 'number'; it has task, n\n",
    ),
    Case("run hello.harn --set task=1", 2, err="error: --set: the program has no parameter 'task'; it has none\n"),
    Case("run bad.harn --set tsk=1", 3, err="…"),
    Case("repl --llm-mock torn.jsonl", 2, err="Usage: harnlite repl …"),
    Case("run missing.harn", code=2, err="error: cannot read 'missing.harn': No such file or directory\n"),
    Case("run .", code=2, err="error: cannot read '.': Is a directory\n"),
    Case("run argv.harn -- a --b -- c", out="[a, --b, --, c]\n"),
    Case("run -c println(argv) -- x", out="[x]\n"),
    Case("run echo.harn", stdin="typed", out="typed\n"),
    # the status of a run
    Case("run value.harn", code=7),
    Case("run big.harn", code=255),
    Case("run negative.harn"),
    Case("run float.harn"),
    Case("run ok.harn"),
    Case("run err.harn", code=1, err="no luck\n"),
    Case("run empty_err.harn", code=1, err="error\n"),
    Case("run exit.harn", code=4, out="bye\n"),
    Case("run throw.harn", code=1, err=THROWN),
    Case("run divide.harn", code=1, err=DIVIDED),
    Case("run divide.harn --format concise", code=1, err="divide.harn:2:10: error Division by zero\n"),
    Case("run divide.harn --format json", code=1, err='[\n  {\n    "severity": "error",\n    "code": null,…'),
    Case("run bad.harn", code=3, err=BAD.format(name="bad.harn")),
    Case("run - --stdin-filename x.harn", code=3, stdin="let = 3\n", err=BAD.format(name="x.harn")),
    Case("run -c let␣=", code=3, err="error: …"),
    Case("run warn.harn --format concise", err="warn.harn:3:3: warning unreachable code\n"),
    # parameters
    Case("run params.harn --set task=x=y --set-json n=[1,2.5,null]", out="x=y [1, 2.5, nil]\n"),
    Case("run --set=task=a params.harn --set-json=n=1", out="a 1\n"),
    Case("run params.harn --set-json n={", code=2, err="error: --set-json n: …"),
    Case("run params.harn --set n", code=2, err="Usage: harnlite run …"),
    Case("run params.harn --set 1=2", code=2, err="Usage: harnlite run …"),
    Case(
        "run unset.harn",
        code=1,
        err="error: Undefined variable: task\n --> unset.harn:2:11\n  |\n2 |   println(task)\n  |           ^^^^\n"
        "  = help: pass it with --set task=…\n",
    ),
    Case(
        "run -c while␣true{} --deadline 0.2",
        code=1,
        err="error: Error [timeout]: the run took longer than 0.2 s\n",
    ),
    # checking
    Case("check hello.harn"),
    Case("check hello.harn value.harn --format json", out="[]\n"),
    Case("check bad.harn", code=1, out=BAD.format(name="bad.harn")),
    Case("check - --stdin-filename x.harn", code=1, stdin="let = 3\n", out=BAD.format(name="x.harn")),
    Case("check unknown.harn --format concise", code=1, out="unknown.harn:2:3: error call target `nonsense` is not …"),
    Case("check warn.harn --format concise", out="warn.harn:3:3: warning unreachable code\n"),
    Case("check missing.harn", code=2, err="Usage: harnlite check …"),
    Case("check", code=2, err="Usage: harnlite check …"),
    Case("check bad.harn", code=1, out="bad.harn:1:5: error …", env=(("HARNLITE_FORMAT", "concise"),)),
    Case("check bad.harn", code=1, out="\x1b[1;31merror…", env=(("FORCE_COLOR", "1"),)),
    Case("check bad.harn", code=1, out="error…", env=(("FORCE_COLOR", "1"), ("NO_COLOR", "1"))),
    Case("check bad.harn --color always", code=1, out="\x1b[1;31merror…", env=(("NO_COLOR", "1"),)),
    # models
    Case("run model_fails.harn", code=1, err="[harn] warning: agent_loop ended with provider_error: bad key\n"),
    Case("run no_model.harn", code=1, err="error: no model is configured: set HARNLITE_LLM_PROVIDER …", env=NO_MODEL),
    # compiling
    Case("compile --emit ast value.harn", out="Module 1:1-…"),
    Case("compile --emit python bad.harn", code=3, err=BAD.format(name="bad.harn")),
    Case("compile value.harn", code=2, err="Usage: harnlite compile …"),
    # the rest
    Case("--version", out=f"harnlite {harnlite.__version__}\n"),
    Case("--help", out="Usage: harnlite …"),
    Case("run --help", out="Usage: harnlite run …"),
    Case("rum hello.harn", code=2, err="Usage: harnlite …"),
    Case("run", code=2, err="Usage: harnlite run …"),
    Case("run hello.harn extra", code=2, err="Usage: harnlite run …"),
    Case("run hello.harn --nonsense", code=2, err="Usage: harnlite run …"),
    Case("run hello.harn --format xml", code=2, err="Usage: harnlite run …"),
    Case("run hello.harn --deadline -1", code=2, err="Usage: harnlite run …"),
    Case("run hello.harn", code=2, err="Usage: harnlite run …", env=(("HARNLITE_FORMAT", "xml"),)),
    Case("completion bash", out="_harnlite_completion() {…"),
    Case("completion zsh", out="#compdef harnlite…"),
    Case("completion fish", out="function _harnlite_completion…"),
    Case("completion tcsh", code=2, err="Usage: harnlite completion …"),
    Case("cache info", out="folder: …"),
    Case("a2a missing.harn", 2, err="Usage: harnlite a2a …"),
    Case("a2a --host 0.0.0.0 hello.harn", 2, err="Usage: harnlite a2a …", env=(("HARNLITE_A2A_TOKEN", ""),)),
    Case("a2a --public-url nowhere hello.harn", 2, err="Usage: harnlite a2a …"),
    Case("a2a --store redis://x hello.harn", 2, err="Usage: harnlite a2a …"),
    Case("doctor", out=f"harnlite {harnlite.__version__}\n…"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs")
    for name, text in FILES.items():
        (path / name).write_text(text)
    return path


def agrees(text: str, expected: str) -> bool:
    return text.startswith(expected[:-1]) if expected.endswith("…") else text == expected


@sampled
@pytest.mark.parametrize("case", TABLE, ids=lambda case: f"{case.args} {dict(case.env) or ''}".strip())
def test_a_call(case, folder):
    args = [arg.replace("␣", " ") for arg in case.args.split()]
    result = run_command(*args, cwd=folder, env={**os.environ, **dict(case.env)}, stdin=case.stdin, text=False)
    out, err = result.stdout.decode(), result.stderr.decode()
    assert agrees(out, case.out), out
    assert agrees(err, case.err), err
    assert result.returncode == case.code
