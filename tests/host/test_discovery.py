"""Discovery of tests: which are found, their order, and the environment of each."""

import pytest

from harnlite.host import testing, testing_discovery


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARN_LLM_PROVIDER", "mock")
    monkeypatch.setenv("HARN_LLM_CALLS_DISABLED", "1")
    return tmp_path


def write(folder, path, text):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def titles(*paths, wanted=""):
    files = testing_discovery.files_in(paths or (".",))
    return [test.title for test in testing_discovery.find_tests(files, wanted)]


def outcomes(path, **rules):
    tests = testing_discovery.tests_of(path)
    results = testing.run_tests(tests, testing.Rules(**rules), testing.Stopper(), None)
    return {result.test.name: result.error for result in results}


def test_names_and_marks_make_tests(folder):
    write(
        folder,
        "a.harn",
        "@test\nfn marked() {}\npipeline default() {}\npipeline test_one() {}\nfn test_no() {}\n"
        "@test\npipeline two() {}\n",
    )
    assert titles() == ["marked [a.harn]", "test_one [a.harn]", "two [a.harn]"]


def test_a_file_called_test_is_one_test_unless_it_has_some(folder):
    write(folder, "plain_test.harn", "println(1)\n")
    write(folder, "entry_test.harn", "pipeline other() {}\npipeline main() {}\n")
    write(folder, "named_test.harn", "pipeline main() {}\npipeline test_x() {}\n")
    assert titles() == ["main [entry_test.harn]", "test_x [named_test.harn]", "plain_test [plain_test.harn]"]


def test_files_come_by_path_and_once(folder):
    for path in ("b/z_test.harn", "a.harn", "c_test.harn", ".hidden/x_test.harn"):
        write(folder, path, "pipeline test_it() {}\n")
    assert titles("c_test.harn", "b", ".") == ["test_it [a.harn]", "test_it [b/z_test.harn]", "test_it [c_test.harn]"]


def test_what_git_ignores_is_no_test(folder):
    (folder / ".git").mkdir()
    write(folder, ".gitignore", "out/\n")
    write(folder, "out/a_test.harn", "pipeline test_it() {}\n")
    assert titles() == []


def test_a_filter_looks_at_names_and_paths(folder):
    write(folder, "sums.harn", "pipeline test_add() {}\npipeline test_take() {}\n")
    write(folder, "lists.harn", "pipeline test_add_to_list() {}\n")
    assert titles(wanted="add") == ["test_add_to_list [lists.harn]", "test_add [sums.harn]"]
    assert titles(wanted="sums") == ["test_add [sums.harn]", "test_take [sums.harn]"]


def test_a_file_that_cannot_be_read_or_parsed_is_a_test_that_fails(folder):
    write(folder, "bad.harn", "let = 1\n")
    (folder / "bytes.harn").write_bytes(b"\xff\xfe")
    assert titles() == ["<file error> [bad.harn]", "<file error> [bytes.harn]"]
    assert outcomes("bad.harn")["<file error>"].startswith("error: Expected variable name, got = at 1:5\n")
    assert "not UTF-8" in outcomes("bytes.harn")["<file error>"]
    assert "No such file" in outcomes("missing.harn")["<file error>"]


def test_each_test_has_a_run_of_its_own(folder):
    write(
        folder,
        "state.harn",
        "var count = 0\n"
        "fn bump() { count = count + 1; return count }\n"
        'pipeline test_one() { llm_mock({text: "a"}); assert_eq(bump(), 1) }\n'
        'pipeline test_two() { assert_eq(bump(), 1); assert(llm_call("hi").text != "a", "a mock was left") }\n',
    )
    assert outcomes("state.harn") == {"test_one": "", "test_two": ""}


def test_the_top_of_the_file_runs_and_the_entry_does_not(folder):
    write(
        folder,
        "top.harn",
        'let base = 40\ndefer { println("left") }\npipeline default() { throw "entered" }\n'
        "pipeline test_sum(extra = 2) { assert_eq(base + extra, 42) }\n"
        "@test\nfn sum(extra = 2) { assert_eq(base + extra, 42) }\n",
    )
    assert outcomes("top.harn") == {"test_sum": "", "sum": ""}


def test_the_working_directory_is_that_of_the_file(folder):
    write(folder, "deep/here/a_test.harn", 'pipeline test_cwd() { assert_eq(read_file("note.txt"), "hello") }\n')
    write(folder, "deep/here/note.txt", "hello")
    assert outcomes("deep/here/a_test.harn") == {"test_cwd": ""}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("return 7", ""),
        ("exit(0)", ""),
        ("exit(3)", "ended with exit(3)\n"),
        ('return Err("no")', "returned Err: no\n"),
        ("while true { let x = 1 }", "timed out after 200ms\n"),
        ("sleep(60s)", "timed out after 200ms\n"),
        ("try { while true { let x = 1 } } catch (e) { return 1 }", "timed out after 200ms\n"),
    ],
)
def test_what_a_test_comes_to(folder, body, error):
    write(folder, "a.harn", f"pipeline test_it() {{ {body} }}\n")
    limit = 200 if error.startswith("timed out") else 60_000
    assert outcomes("a.harn", timeout_ms=limit) == {"test_it": error}


def test_an_error_is_shown_with_its_place_and_both_sides(folder):
    write(folder, "a.harn", 'pipeline test_it() {\n  assert_eq("one\\ntwo", "one\\nthree", "texts")\n}\n')
    assert outcomes("a.harn")["test_it"] == (
        "error: Thrown: texts\n --> a.harn:2:3\n  |\n"
        '2 |   assert_eq("one\\ntwo", "one\\nthree", "texts")\n  |   ' + "^" * 44 + "\n"
        "difference: - expected, + actual\n    one\n  - three\n  + two\n"
    )


def test_sides_that_look_alike_are_told_apart_by_type(folder):
    write(
        folder, "a.harn", 'pipeline test_it() { assert_eq(["1"], [1]); }\npipeline test_text() { assert_eq(1, "1") }\n'
    )
    found = outcomes("a.harn")
    assert found["test_it"].endswith('actual\n    [\n  -   1\n  +   "1"\n  ?   + +\n    ]\n')
    assert found["test_text"].endswith("actual\n  - 1  (string)\n  + 1  (int)\n")


def test_a_program_with_mistakes_fails_its_tests(folder):
    write(folder, "a.harn", "pipeline test_one() { nonsense(1) }\npipeline test_two() {}\n")
    assert all("`nonsense` is not defined" in error for error in outcomes("a.harn").values())


def test_models_are_out_of_reach(folder, monkeypatch):
    monkeypatch.delenv("HARN_LLM_PROVIDER")
    monkeypatch.delenv("HARN_LLM_CALLS_DISABLED")
    monkeypatch.delenv("HARNLITE_LLM_PROVIDER", raising=False)
    write(
        folder,
        "a.harn",
        'pipeline test_it() {\n  assert_eq(env("HARN_LLM_PROVIDER"), "mock")\n'
        '  assert_eq(env("HARN_LLM_CALLS_DISABLED"), "1")\n  assert_eq(llm_call("hi").provider, "mock")\n}\n',
    )
    assert outcomes("a.harn") == {"test_it": ""}
    monkeypatch.setenv("HARN_LLM_PROVIDER", "openai")
    write(folder, "b.harn", 'pipeline test_it() { llm_call("hi") }\n')
    assert "LLM calls are disabled" in outcomes("b.harn")["test_it"]
