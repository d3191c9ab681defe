from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

import harnlite

MISSING = "No such file or directory (os error 2)"
IS_DIR = "Is a directory (os error 21)"
NOT_DIR = "Not a directory (os error 20)"
NOT_TEXT = "stream did not contain valid UTF-8"


@pytest.fixture
def here(run, tmp_path):
    (tmp_path / "text.txt").write_bytes("é\r\nb\n".encode())
    (tmp_path / "bad.bin").write_bytes(b"\xff\xfe")
    (tmp_path / "dir" / "sub").mkdir(parents=True)
    (tmp_path / "dir" / "b.py").write_text("b")
    (tmp_path / "dir" / "sub" / "a.py").write_text("a")
    return run


def test_reading(here):
    assert here.call("read_file", "text.txt") == "é\r\nb\n"
    assert here.call("read_file", here.cwd + "/text.txt") == "é\r\nb\n"
    assert here.call("read_file_bytes", "bad.bin") == b"\xff\xfe"
    result = here.call("read_file_result", "text.txt")
    assert (result.variant, result.fields) == ("Ok", ("é\r\nb\n",))
    result = here.call("read_file_result", "none")
    assert (result.variant, result.fields) == ("Err", (f"Failed to read file {here.cwd}/none: {MISSING}",))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\r\nb\n", ["a", "b"]),
        ("a\n\nb\r", ["a", "", "b\r"]),
        ("\r\n\r\n", ["", ""]),
    ],
)
def test_read_lines(run, text, lines):
    run.call("write_file", "x", text)
    assert run.call("read_lines", "x") == lines


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("read_file", "none"), f"Failed to read file {{cwd}}/none: {MISSING}"),
        (("read_file", "dir"), f"Failed to read file {{cwd}}/dir: {IS_DIR}"),
        (("read_file", "bad.bin"), f"Failed to read file {{cwd}}/bad.bin: {NOT_TEXT}"),
        (("read_file", "text.txt/x"), f"Failed to read file {{cwd}}/text.txt/x: {NOT_DIR}"),
        (("read_file", None), f"Failed to read file {{cwd}}/nil: {MISSING}"),
        (("read_file_bytes", "/no/such"), f"Failed to read file /no/such: {MISSING}"),
        (("read_lines", "none"), f"read_lines: {{cwd}}/none: {MISSING}"),
        (("read_lines", "bad.bin"), f"read_lines: {{cwd}}/bad.bin: {NOT_TEXT}"),
        (("write_file", "no/x", "t"), f"Failed to write file {{cwd}}/no/x: {MISSING}"),
        (("write_file", "dir", "t"), f"Failed to write file {{cwd}}/dir: {IS_DIR}"),
        (("write_file_bytes", "no/x", b"t"), f"Failed to write file {{cwd}}/no/x: {MISSING}"),
        (("write_file_bytes", "x", "t"), "write_file_bytes expects bytes content, got string"),
        (("append_file", "no/x", "t"), f"Failed to open file {{cwd}}/no/x: {MISSING}"),
        (("delete_file", "none"), f"Failed to delete file {{cwd}}/none: {MISSING}"),
        (("delete_file",), f"Failed to delete file : {MISSING}"),
        (("copy_file", "none", "x"), f"Failed to copy {{cwd}}/none to {{cwd}}/x: {MISSING}"),
        (("copy_file", "dir", "x"), f"Failed to copy {{cwd}}/dir to {{cwd}}/x: {IS_DIR}"),
        (("copy_file", "text.txt", "dir"), f"Failed to copy {{cwd}}/text.txt to {{cwd}}/dir: {IS_DIR}"),
        (("move_file", "a"), "move_file: src and dst are required"),
        (("move_file", "none", "x"), f"move_file: copy failed: {MISSING}"),
        (("mkdir", "text.txt"), "Failed to create directory {cwd}/text.txt: File exists (os error 17)"),
        (("mkdir", "text.txt/x"), f"Failed to create directory {{cwd}}/text.txt/x: {NOT_DIR}"),
        (("list_dir", "none"), f"Failed to list directory {{cwd}}/none: {MISSING}"),
        (("list_dir", "text.txt"), f"Failed to list directory {{cwd}}/text.txt: {NOT_DIR}"),
        (("stat", "none"), f"Failed to stat {{cwd}}/none: {MISSING}"),
        (("walk_dir",), "walk_dir: root path is required"),
        (("glob",), "glob: pattern is required"),
        (("glob", "[a"), "glob: error parsing glob '[a': unclosed character class; missing ']'"),
    ],
)
def test_errors(here, args, error):
    assert here.error(*args) == error.replace("{cwd}", here.cwd)


def test_nul_in_a_path_is_an_error_of_the_file(run):
    assert run.error("read_file", "a\0b") == (
        f"Failed to read file {run.cwd}/a\0b: file name contained an unexpected NUL byte"
    )
    assert run.call("file_exists", "a\0b") is False


def test_writing(run, tmp_path):
    run.call("write_file", "a", "long text")
    run.call("write_file", "a", [1, "é\n"])
    assert (tmp_path / "a").read_bytes() == "[1, é\n]".encode()
    run.call("append_file", "a", 5)
    run.call("append_file", "new", "x")
    assert (tmp_path / "a").read_text() == "[1, é\n]5"
    assert (tmp_path / "new").read_text() == "x"
    run.call("write_file_bytes", "a", b"\0")
    assert (tmp_path / "a").read_bytes() == b"\0"
    run.call("write_file", "a")
    run.call("write_file_bytes", "a")
    assert (tmp_path / "a").read_bytes() == b"\0"


def test_copy_move_delete(here, tmp_path):
    here.call("copy_file", "text.txt", "copy.txt")
    here.call("copy_file", "copy.txt", "copy.txt")
    assert (tmp_path / "copy.txt").read_bytes() == (tmp_path / "text.txt").read_bytes()
    here.call("move_file", "copy.txt", "dir/moved.txt")
    assert not here.call("file_exists", "copy.txt")
    here.call("move_file", "dir", "other")
    assert here.call("list_dir", "other") == ["b.py", "moved.txt", "sub"]
    here.call("delete_file", "other/moved.txt")
    here.call("delete_file", "other")
    assert here.call("list_dir") == ["bad.bin", "text.txt"]


def test_deleting_a_link_leaves_its_target(here, tmp_path):
    os.symlink(tmp_path / "dir", tmp_path / "link")
    here.call("delete_file", "link")
    assert here.call("file_exists", "dir/b.py")
    assert not here.call("file_exists", "link")


def test_mkdir_and_stat(run, tmp_path):
    run.call("mkdir", "a/b/c")
    run.call("mkdir", "a/b/c")
    run.call("write_file", "a/f", "12345")
    os.utime(tmp_path / "a" / "f", (1.5, 1.5))
    expected = {"is_dir": False, "is_file": True, "modified": 1.5, "readonly": False, "size": 5}
    assert run.call("stat", "a/f") == expected
    os.chmod(tmp_path / "a" / "f", 0o444)
    assert run.call("stat", "a/f") == expected | {"readonly": True}
    assert run.call("stat", "a")["is_dir"] is True


def test_temp_dir(run, monkeypatch):
    monkeypatch.setenv("TMPDIR", "/x//")
    assert run.call("temp_dir") == "/x//"
    monkeypatch.delenv("TMPDIR")
    assert run.call("temp_dir") == "/tmp"


def entry(path, depth, kind):
    return {"depth": depth, "is_dir": kind == "dir", "is_file": kind == "file", "path": path}


def test_walk(here):
    root = here.cwd + "/dir"
    found = here.call("walk_dir", "dir")
    assert found[0] == entry(root, 0, "dir")
    assert sorted(found, key=lambda item: item["path"]) == [
        entry(root, 0, "dir"),
        entry(root + "/b.py", 1, "file"),
        entry(root + "/sub", 1, "dir"),
        entry(root + "/sub/a.py", 2, "file"),
    ]
    paths = [item["path"] for item in found]
    assert paths.index(root + "/sub/a.py") == paths.index(root + "/sub") + 1
    assert len(here.call("walk_dir", "dir", {"max_depth": 1})) == 3
    assert here.call("walk_dir", "dir", {"max_depth": 0}) == [entry(root, 0, "dir")]
    assert here.call("walk_dir", "none") == []
    assert here.call("walk_dir", "text.txt") == [entry(here.cwd + "/text.txt", 0, "file")]


def test_walk_and_links(here, tmp_path):
    os.symlink(tmp_path / "dir", tmp_path / "dir" / "sub" / "loop")
    plain = here.call("walk_dir", "dir")
    assert entry(here.cwd + "/dir/sub/loop", 2, "link") in plain
    followed = here.call("walk_dir", "dir", {"follow_symlinks": True})
    assert len(followed) == 4


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.py", ["dir/b.py", "dir/sub/a.py"]),
        ("**/*.py", ["dir/b.py", "dir/sub/a.py"]),
        ("dir/*.py", ["dir/b.py", "dir/sub/a.py"]),
        ("dir/**/a.py", ["dir/sub/a.py"]),
        ("dir/**/b.py", ["dir/b.py"]),
        ("**/b.py", ["dir/b.py"]),
        ("text.???", ["text.txt"]),
        ("dir?b.py", ["dir/b.py"]),
        ("{text,bad}.*", ["bad.bin", "text.txt"]),
        ("dir/[ab].py", ["dir/b.py"]),
        ("dir/[!b].py", []),
        ("dir/[a-c].py", ["dir/b.py"]),
        ("dir", ["dir"]),
        ("\\dir", ["dir"]),
        ("dir/**", ["dir/b.py", "dir/sub", "dir/sub/a.py"]),
        ("none*", []),
        ("", []),
        ("a,b", []),
    ],
)
def test_glob(here, pattern, names):
    expected = [f"{here.cwd}/{name}" for name in names]
    assert here.call("glob", pattern) == expected
    assert here.call("glob", pattern, here.cwd) == expected
    assert here.call("glob", pattern, {"base": here.cwd}) == expected


def test_glob_base(here):
    assert here.call("glob", "*", "dir/sub") == [here.cwd + "/dir/sub/a.py"]
    assert here.call("glob", "*", "none") == []


@pytest.mark.parametrize("pattern", ["{a", "a}", "[b-a]", "x\\", "["])
def test_glob_errors(run, pattern):
    assert run.error("glob", pattern).startswith(f"glob: error parsing glob '{pattern}': ")


def test_a_file_that_is_too_large(run, monkeypatch):
    monkeypatch.setattr("harnlite.values.size_limits.UNCHECKED", 0)
    monkeypatch.setattr("harnlite.values.size_limits.limits_here", lambda: SimpleNamespace(max_items=3))
    run.call("write_file", "x", "1234")
    assert run.error("read_file", "x") == "Value too large"


def test_capabilities(run):
    run.context["permissions"] = harnlite.Engine(capabilities={"fs.read"}).permissions
    assert run.call("file_exists", "x") is False
    assert (
        run.error("write_file", "x", "")
        == "Error [tool_rejected]: Tool 'write_file' is not permitted: it needs fs.write (--allow fs.write=…)"
    )
    assert (
        run.error("delete_file", "x")
        == "Error [tool_rejected]: Tool 'delete_file' is not permitted: it needs fs.write (--allow fs.write=…)"
    )
    assert (
        run.error("exec", "true")
        == "Error [tool_rejected]: Tool 'exec' is not permitted: it needs process (--allow process=…)"
    )
    assert (
        run.error("env", "HOME") == "Error [tool_rejected]: Tool 'env' is not permitted: it needs env (--allow env=…)"
    )
    assert (
        run.error("store_set", "a", 1)
        == "Error [tool_rejected]: Tool 'store_set' is not permitted: it needs fs.write (--allow fs.write=…)"
    )


def test_workspace_roots(here, tmp_path):
    inside = str(tmp_path / "dir")
    here.context["workspace_roots"] = (inside, "/other")
    assert here.call("read_file", "dir/b.py") == "b"
    os.symlink(tmp_path / "text.txt", tmp_path / "dir" / "link")
    outside = f"outside workspace_roots [{inside}, /other]"
    refused = "Error [tool_rejected]: sandbox violation: builtin"
    for name, action, path in (
        ("read_file", "read", "text.txt"),
        ("read_file", "read", "dir/link"),
        ("read_file", "read", "dir/../text.txt"),
        ("list_dir", "read", "directory"),
        ("write_file", "write", "new.txt"),
        ("delete_file", "delete", "text.txt"),
    ):
        error = here.error(name, path, *([""] if name == "write_file" else []))
        assert error == f"{refused} '{name}' attempted to {action} '{here.cwd}/{path}' {outside}"
    assert here.error("move_file", "dir/b.py", "b.py").startswith(f"{refused} 'move_file' attempted to write")
    assert here.call("file_exists", "dir/b.py")
