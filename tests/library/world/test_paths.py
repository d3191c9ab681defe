from __future__ import annotations

import os

import pytest

CASES = {
    "path_join": [
        (("a", "b"), "a/b"),
        ((), ""),
        (("a",), "a"),
        (("a", "/b", "c"), "/b/c"),
        (("a", ""), "a/"),
        (("", "a"), "a"),
        (("a/", "b"), "a/b"),
        (("a", "..", "./b"), "a/.././b"),
        (("a", 1), "a/1"),
    ],
    "dirname": [
        (("a",), ""),
        (("/a",), "/"),
        (("/",), ""),
        (("a/b/",), "a"),
        (("a//b",), "a"),
        (("a/b/c.txt",), "a/b"),
        (("/a/b",), "/a"),
        (("./a",), "."),
        (("",), ""),
        (("..",), ""),
        (("a/./b",), "a"),
    ],
    "basename": [
        (("a/",), "a"),
        (("/",), ""),
        (("..",), ""),
        (("a/..",), ""),
        (("/x/y.tar.gz",), "y.tar.gz"),
        (("",), ""),
        ((".",), ""),
        (("a/.",), "a"),
    ],
    "extname": [
        (("x.tar.gz",), ".gz"),
        ((".bashrc",), ""),
        (("a.",), "."),
        (("a",), ""),
        (("d.x/a",), ""),
        (("..",), ""),
        (("a/.b.c/",), ".c"),
    ],
    "path_parent": [
        (("a",), ""),
        (("/a",), "/"),
        (("/a/b/",), "/a"),
        (("a\\b\\c",), "a/b"),
        (("C:\\a\\b",), "C:/a"),
        (("C:\\a",), "C:/"),
        (("a//b//c",), "a/b"),
    ],
    "path_basename": [(("a\\b.txt",), "b.txt"), (("/",), ""), (("a/..",), "..")],
    "path_stem": [(("a/b.tar.gz",), "b.tar"), ((".bashrc",), ".bashrc"), (("..",), ".."), (("a.",), "a")],
    "path_extension": [(("a/b.tar.gz",), ".gz"), ((".bashrc",), ""), (("b",), ""), (("a.",), ".")],
    "path_segments": [(("/a//./../b/",), ["a", ".", "..", "b"]), (("",), []), (("C:\\x",), ["x"])],
    "path_with_extension": [
        (("a/b.txt", "md"), "a/b.md"),
        (("a/b.txt", ".md"), "a/b.md"),
        (("a//b.txt", ""), "a/b"),
        (("a/b", "md"), "a/b.md"),
        (("/b.tar.gz", "zip"), "/b.tar.zip"),
        ((".bashrc", "x"), ".bashrc.x"),
        (("/", "x"), "/"),
    ],
    "path_with_stem": [(("a//b.txt", "c"), "a/c.txt"), (("b", "c"), "c"), (("/x/.rc", "y"), "/x/y")],
    "path_is_absolute": [(("/a",), True), (("C:/a",), True), (("C:\\a",), True), (("C:a",), False), (("a",), False)],
    "path_is_relative": [(("/a",), False), (("C:/a",), False), (("a",), True), (("",), True)],
    "path_normalize": [
        (("",), ""),
        (("a/..",), "."),
        (("./a//b/./c/",), "a/b/c"),
        (("../../a",), "../../a"),
        (("a/../../b",), "../b"),
        (("/../a",), "/a"),
        (("/",), "/"),
        (("/..",), "/"),
        (("C:\\a\\..\\b",), "C:/b"),
        (("a\\b",), "a/b"),
    ],
    "path_relative_to": [
        (("/a/b/c", "/a"), "b/c"),
        (("/a", "/a/b/c"), "../.."),
        (("a", "a/."), "."),
        (("a/x", "a/y"), "../x"),
        (("/a", "a"), None),
        (("C:/a", "D:/a"), None),
        (("C:/a/b", "c:/a"), "b"),
    ],
    "path_to_posix": [(("a\\b/c",), "a/b/c")],
    "path_to_native": [(("a\\b/c",), "a/b/c")],
    "path_parts": [
        (
            ("/a/b.tar.gz",),
            {"dir": "/a", "ext": ".gz", "file": "b.tar.gz", "segments": ["a", "b.tar.gz"], "stem": "b.tar"},
        ),
        (("",), {"dir": "", "ext": "", "file": "", "segments": [], "stem": ""}),
    ],
}


@pytest.mark.parametrize(("name", "args", "value"), [(name, *case) for name, cases in CASES.items() for case in cases])
def test_texts(run, name, args, value):
    assert run.call(name, *args) == value


def info(run, path, *root):
    found = run.call("path_workspace_info", path, *root)
    assert found["input"] == path
    assert run.call("path_workspace_normalize", path, *root) == found["workspace_path"]
    return found


def test_workspace_relative(run):
    found = info(run, "a//b/../c")
    assert found == {
        "host_path": f"{run.cwd}/a/c",
        "input": "a//b/../c",
        "kind": "workspace_relative",
        "normalized": "a/c",
        "reason": None,
        "recovered_root_drift": False,
        "workspace_path": "a/c",
    }
    assert info(run, ".")["host_path"] == run.cwd
    assert info(run, ".")["workspace_path"] == "."
    assert info(run, "a", "sub")["host_path"] == f"{run.cwd}/sub/a"
    assert info(run, "a", "")["host_path"] == f"{run.cwd}/a"
    assert info(run, "a", None)["host_path"] == f"{run.cwd}/nil/a"


def test_host_absolute(run):
    inside = info(run, run.cwd + "/x/./y")
    assert (inside["kind"], inside["workspace_path"]) == ("host_absolute", "x/y")
    assert inside["host_path"] == inside["normalized"] == run.cwd + "/x/y"
    assert info(run, run.cwd)["workspace_path"] == "."
    outside = info(run, os.path.dirname(run.cwd))
    assert (outside["kind"], outside["workspace_path"], outside["reason"]) == ("host_absolute", None, None)


def test_recovered_drift(run):
    os.makedirs(os.path.join(run.cwd, "no-such-root-folder"))
    found = info(run, "/no-such-root-folder/new.txt")
    assert (found["kind"], found["workspace_path"]) == ("workspace_relative", "no-such-root-folder/new.txt")
    assert found["host_path"] == f"{run.cwd}/no-such-root-folder/new.txt"
    assert found["recovered_root_drift"] is True
    lost = info(run, "/no-such-root-folder/deep/new.txt")
    assert (lost["kind"], lost["workspace_path"], lost["recovered_root_drift"]) == ("host_absolute", None, False)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "path is empty"),
        ("a\0b", "path contains NUL bytes"),
        ("../x", "workspace-relative path escapes the workspace root"),
        ("a/../../x", "workspace-relative path escapes the workspace root"),
    ],
)
def test_invalid(run, path, reason):
    found = info(run, path)
    assert (found["kind"], found["reason"], found["workspace_path"]) == ("invalid", reason, None)
