"""Whole projects: the selection of files, the cache between runs, several processes."""

import os

import pytest

from harnlite.host.linting import FEW, Desk, Wishes, files_of, lint_files

BAD = "let x = 1\nprintln(x == x)\n"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HARNLITE_CACHE", str(tmp_path / "cache"))
    return folder


def write(**files):
    for name, text in files.items():
        path = name.replace("__", "/").replace("_dot_", ".")
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path if "." in os.path.basename(path) else f"{path}.harn", "w") as file:
            file.write(text)


def found(*paths):
    return [path.replace(os.sep, "/") for path in files_of(Desk(Wishes()), paths or ["."])]


def report(paths, **wishes):
    return [(one.source.name, one.code) for one in lint_files(Wishes(**wishes), paths)]


def test_a_folder_stands_for_its_programs_in_order():
    write(b="", a="", deep__c="", deep__er__d="", note_dot_txt="", _dot_hidden__x="", node_modules__y="")
    assert found() == ["a.harn", "b.harn", "deep/c.harn", "deep/er/d.harn"]
    assert found("deep", "a.harn", "deep/c.harn", ".") == ["deep/c.harn", "deep/er/d.harn", "a.harn", "b.harn"]


def test_what_git_ignores_is_left_out():
    os.mkdir(".git")
    write(keep="", drop="", build__x="", deep__y="", deep__z="", deep__build__keep="")
    with open(".gitignore", "w") as file:
        file.write("drop.harn\n/build/\n*.tmp\ndeep/z.harn\n")
    with open("deep/.gitignore", "w") as file:
        file.write("!z.harn\ny.harn\n")
    assert found() == ["keep.harn", "deep/z.harn", "deep/build/keep.harn"]
    assert found("deep") == ["deep/z.harn", "deep/build/keep.harn"]
    assert found("drop.harn") == ["drop.harn"]
    with open("harn.toml", "w") as file:
        file.write("[lint]\nrespect_gitignore = false\n")
    assert len(found()) == 6


def test_ignores_above_count_inside_of_a_repository_only():
    write(inner__a="", inner__b="")
    with open(".gitignore", "w") as file:
        file.write("a.harn\n")
    assert found("inner") == ["inner/a.harn", "inner/b.harn"]
    os.mkdir(".git")
    assert found("inner") == ["inner/b.harn"]


def test_the_configuration_excludes_and_ignores():
    write(a=BAD, old__b=BAD, tests__c=BAD)
    with open("harn.toml", "w") as file:
        file.write('[lint]\nexclude = ["old/"]\n[lint.per_file_ignores]\n"tests/**" = ["HARN-LNT-007"]\n')
    assert report(found()) == [("a.harn", "HARN-LNT-007")]
    assert report(["old/b.harn"]) == [("old/b.harn", "HARN-LNT-007")]
    assert report(found(), isolated=True) == [("a.harn", "HARN-LNT-007"), ("tests/c.harn", "HARN-LNT-007")]


def test_each_file_has_the_configuration_nearest_to_it():
    write(a=BAD, inner__b=BAD)
    with open("inner/harn.toml", "w") as file:
        file.write('[lint]\nignore = ["HARN-LNT-007"]\n')
    assert report(found()) == [("a.harn", "HARN-LNT-007")]


def test_a_file_that_is_no_text_has_a_finding():
    with open("a.harn", "wb") as file:
        file.write(b"let x = \xff\n")
    assert report(["a.harn"]) == [("a.harn", "HARN-SYN-001")]


def test_many_files_are_shared_out_and_come_back_in_order():
    names = [f"f{number:03}" for number in range(FEW + 30)]
    write(**dict.fromkeys(names, BAD))
    expected = [(f"{name}.harn", "HARN-LNT-007") for name in names]
    assert report(found()) == expected
    assert report(found()) == expected
    assert report(found(), flags={"select": ["HARN-CHK"]}) == []


def test_findings_are_kept_until_something_they_depend_on_changes(monkeypatch):
    write(a='import { f } from "./b"\nf("x")\n', b="pub fn f(x: int) {\n  println(x)\n}\n")
    first = lint_files(Wishes(), ["a.harn"])
    calls = []
    monkeypatch.setattr("harnlite.analysis.linting.linter.parse", lambda *given: calls.append(given))
    again = lint_files(Wishes(), ["a.harn"])
    assert (calls, [repr(one) for one in again]) == ([], [repr(one) for one in first])
    assert [label.source.path for one in again for label in one.labels if label.source] == [
        label.source.path for one in first for label in one.labels if label.source
    ]
    monkeypatch.undo()


def test_a_changed_import_is_seen(project, monkeypatch):
    write(a='import { f } from "./b"\nf("x")\n', b="pub fn f(x: int) {\n  println(x)\n}\n")
    assert report(["a.harn"]) == [("a.harn", "HARN-CHK-001")]
    write(b="pub fn f(x: string) {\n  println(x)\n}\n")
    assert report(["a.harn"]) == []
    os.remove("b.harn")
    before = report(["a.harn"])
    write(b="pub fn f(x: int) {\n  println(x)\n}\n")
    assert report(["a.harn"]) == [("a.harn", "HARN-CHK-001")] != before


def test_without_a_cache_nothing_is_kept(project, monkeypatch):
    monkeypatch.setenv("HARNLITE_CACHE", "off")
    write(a=BAD)
    assert report(["a.harn"]) == [("a.harn", "HARN-LNT-007")]
    assert not (project.parent / "cache").exists()


def test_functions_that_the_project_declares_as_hooks_are_judged_as_hooks():
    write(
        lib__hooks='pub fn tell(_c) { return {body: "x"} }\npub fn free(_c) { return {reminder: {body: ""}} }\n',
        main='pub fn tell(_c) { return {reminder: {body: "x"}} }\n',
    )

    assert report(found()) == []
    for event, expected in (("WorkerFailed", [("lib/hooks.harn", "HARN-RMD-008")]), ("session_start", [])):
        with open("harn.toml", "w") as file:
            file.write(f'[[hooks]]\nevent = "{event}"\nhandler = "lib/hooks.harn::tell"\n')
        assert report(found()) == expected
