"""std/text, std/collections and std/path, called as a script calls them."""

from __future__ import annotations

import pytest

from harnlite import Engine


@pytest.fixture
def values(tmp_path):
    """Run a program from a file of its own and return its value."""

    def run(module, *expressions):
        file = tmp_path / "main.harn"
        file.write_text(f'import "std/{module}"\nreturn [{", ".join(expressions)}]\n')
        result = Engine(cwd=str(tmp_path), cache=False).run(file)
        assert result.error is None, result.error
        return result.value

    return run


def caught(expression):
    return f"try {{ {expression} }} catch (e) {{ e }}"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("int_to_string(42)", "42"),
        ('int_to_string("-7")', "-7"),
        ("int_to_string(3.9)", "3"),
        (caught("int_to_string(nil)"), "int_to_string expects an integer-compatible value"),
        (caught("int_to_string(true)"), "int_to_string expects an integer-compatible value"),
        (caught("int_to_string()"), "int_to_string expects an integer-compatible value"),
        ("float_to_string(3)", "3.0"),
        ('float_to_string("1e3")', "1000.0"),
        (caught('float_to_string("x")'), "float_to_string expects a float-compatible value"),
        ('parse_int_or("5", 1)', 5),
        ('parse_int_or("0", 1)', 0),
        ('parse_int_or("5.5", nil)', None),
        ('parse_float_or("5", 1)', 5.0),
        ("parse_float_or([], 1)", 1),
        (r'extract_paths("a/b.py a/b.py\nplain.txt\n  // x/y.c\n # p/q.c\n(`c/d.rs`): \"e/f.md\",")',
         ["a/b.py", "c/d.rs", "e/f.md"]),
        (r'extract_paths("see /x then word.py and e.g. this")', ["e.g", "word.py"]),
        (r'extract_paths("/ a.0123456789 b.01234567890 .bashrc dir.d/ ../x.y:;,.")',
         ["../x.y", "a.0123456789", "dir.d/"]),
        ('extract_paths("")', []),
        (r'truncate_head_tail("a\nb\nc", 1)', "a\n... (1 lines omitted) ...\nc"),
        (r'truncate_head_tail("a\nb", 1)', "a\nb"),
        (r'truncate_head_tail("a\nb", 0)', "\n... (2 lines omitted) ...\n"),
        ('detect_compile_error("x ModuleNotFoundError: y")', True),
        ('detect_compile_error("error: cannot find crate")', True),
        ('detect_compile_error("syntaxerror")', False),
        ('has_got_want("Actual: 1\\n expected: 2")', True),
        ('has_got_want("got: 1")', False),
        ('has_got_want("want: 1")', False),
        (r'format_test_errors("ok\nFAIL x\nfine\nAssertionError\nassert y")', "FAIL x\nAssertionError\nassert y"),
        (r'len(format_test_errors(("error\n" * 30)).lines())', 20),
        ('format_test_errors("")', ""),
    ],
)  # fmt: skip
def test_text(values, expression, value):
    assert values("text", expression) == [value]


CELLS = r'''parse_cells("""
intro
```python title
  x = 1

```
```call
write_file(target)
```
   ``` call  bash
ls
   ```
```

```
```open
lost
""")'''


def test_cells(values):
    code = {"type": "code", "lang": "python title", "code": "  x = 1\n"}
    write = {"type": "call", "lang": None, "code": "write_file(target)"}
    bash = {"type": "call", "lang": "bash", "code": "ls"}
    empty = {"type": "code", "lang": None, "code": ""}
    assert values("text", CELLS) == [[code, write, bash, empty]]
    assert values("text", f"filter_test_cells({CELLS}, nil)") == [[code, write, empty]]
    assert values("text", f'filter_test_cells({CELLS}, "other")') == [[code, empty]]
    assert values("text", f'filter_test_cells({CELLS}, "target")') == [[code, write, empty]]
    assert values("text", r'parse_cells("```\nnever closed")', 'parse_cells("")') == [[], []]


def test_collections(values):
    kept = {"d": False, "e": 0, "f": []}
    assert values("collections", 'filter_nil({a: nil, b: "", c: "null", d: false, e: 0, f: []})') == [kept]
    assert values("collections", 'filter_nil([nil, "", "null", 0, "x"])') == [[0, "x"]]
    assert values(
        "collections",
        'store_stale("k", 60)',
        "mock_time(1000)",
        'store_refresh("k")',
        'store_get("k_ts")',
        "advance_time(60000)",
        'store_stale("k", 60)',
        "advance_time(1)",
        'store_stale("k", 60)',
    ) == [True, None, None, 1.0, 61000, False, 61001, True]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('ext("a/b.tar.gz")', "gz"),
        ('ext(".bashrc")', ""),
        ('ext("a.")', ""),
        ('stem("a/b.tar.gz")', "b"),
        ('stem(".bashrc")', ""),
        ('stem("a")', "a"),
        (r'normalize("a\\b/../c\\")', "a/b/../c/"),
        ('is_absolute("/a")', True),
        ('is_absolute("C:/a")', False),
        ('is_absolute("")', False),
        ('workspace_normalize("a/../b")', "b"),
        ('workspace_normalize("../b", nil)', None),
        ('workspace_info("a", "sub").workspace_path', "a"),
        ('workspace_info("").reason', "path is empty"),
    ],
)
def test_path(values, expression, value):
    assert values("path", expression) == [value]


def test_folders(values, tmp_path):
    (tmp_path / "d" / "sub").mkdir(parents=True)
    (tmp_path / "d" / "z").write_text("")
    (tmp_path / "d" / "a").write_text("")
    (tmp_path / "d" / "broken").symlink_to(tmp_path / "none")
    assert values("path", 'list_files("d")', 'list_dirs("d")') == [["a", "z"], ["sub"]]


def test_helpers_stay_inside_their_module(tmp_path):
    result = Engine(cwd=str(tmp_path), cache=False).run('import "std/text"\nstrip_end("x", "y")')
    assert [finding.message for finding in result.diagnostics] == ["call target `strip_end` is not defined or imported"]


def test_session_updates(values):
    nothing = dict.fromkeys(["content", "kind", "locations", "rawInput", "rawOutput"])
    call = {**nothing, "toolCallId": "1", "title": "T", "status": "pending", "sessionUpdate": "tool_call"}
    artifact = 'plan_artifact({steps: ["a"]})'
    assert values(
        "acp",
        'agent_message_chunk("x")',
        'tool_call("1", "T")',
        'tool_call_update("1", "failed")',
        'plan([{content: "a"}])',
        f"harn_plan({artifact}).entries",
        'handoff_update("h", "a", {task: "t"})',
    ) == [
        {"content": {"annotations": None, "text": "x", "type": "text"}, "sessionUpdate": "agent_message_chunk"},
        call,
        {**call, "title": None, "status": "failed", "sessionUpdate": "tool_call_update"},
        {"entries": [{"content": "a"}], "sessionUpdate": "plan"},
        [{"content": "a", "status": "pending"}],
        {"artifactId": "a", "handoff": {"task": "t"}, "handoffId": "h", "sessionUpdate": "handoff_update"},
    ]


def test_tools_of_the_host(values):
    assert values("host", "host_tools()", 'host_tool_lookup("x")', 'host_tool_available("x")') == [[], None, False]
    mock = 'host_mock("tools", "list", [{name: "x", kind: "read"}])'
    found = {"name": "x", "kind": "read"}
    assert values("host", mock, "host_tools()", 'host_tool_lookup("x")', 'host_tool_available("y")') == [
        *(None, [found], found, False)
    ]
    mock = 'host_mock("tools", "list", {error: "the host is busy"})'
    assert values("host", mock, caught("host_tools()"))[1] == "the host is busy"
