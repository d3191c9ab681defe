"""Import paths and the code cache give access to the user's Harn programs and to nothing else."""

import os
import stat
from pathlib import Path

import pytest

import harnlite
from tests.commands import run_command


def run_file(folder: Path, text: str) -> harnlite.RunResult:
    path = folder / "main.harn"
    path.write_text(text, encoding="utf-8")
    return harnlite.Engine(cache=False).run(path)


CLOSED = ["std/../../pyproject", "std/../builtins", "std/__init__", "std/", "std//etc/passwd", "std/./math"]


@pytest.mark.parametrize("name", CLOSED)
def test_the_standard_library_is_a_closed_folder(name: str, tmp_path: Path) -> None:
    result = run_file(tmp_path, f'import "{name}"\nprintln("never")\n')
    assert f"Runtime error: Unknown stdlib module: {name}" in str(result.error)
    assert (result.exit_code, result.stdout) == (1, "")


def test_python_files_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")
    result = run_file(tmp_path, 'import "evil.py"\nprintln("never")\n')
    assert result.exit_code == 1
    assert "Runtime error: Import " in str(result.error)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "/dev/null/x", ".", "..", "a\\u{0}b", "~/x", "http://localhost/x.harn"]
)
def test_odd_paths_are_errors_or_nothing(name: str, tmp_path: Path) -> None:
    result = run_file(tmp_path, f'import "{name}"\nprintln("after")\n')
    assert "Traceback" not in result.stderr
    assert "internal error" not in result.stderr
    assert result.exit_code in (1, 3), result.stdout


def test_an_import_does_not_hand_over_what_is_private(tmp_path: Path) -> None:
    (tmp_path / "bank.harn").write_text("var secret = 5\npub fn shown() { return 1 }\nfn hidden() { return secret }\n")
    result = run_file(tmp_path, 'import "bank"\nprintln(try { secret } catch (e) { e })\nprintln(shown())\n')
    assert result.stdout == "Undefined variable: secret\n1\n"
    assert run_file(tmp_path, 'import "bank"\nprintln(hidden())\n').exit_code == 3


class Cache:
    """A cache folder of its own, and the command line using it."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "cache"
        self.folder.mkdir(mode=0o700)
        self.program = tmp_path / "main.harn"
        self.program.write_text('println("honest")\n', encoding="utf-8")

    def run(self) -> tuple[str, int]:
        env = {**os.environ, "XDG_CACHE_HOME": str(self.folder)}
        done = run_command("run", self.program, env=env)
        assert "Traceback" not in done.stderr
        return done.stdout, done.returncode

    def entries(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    made = Cache(tmp_path)
    assert made.run() == ("honest\n", 0)
    return made


POISONS = [b"", b"\0" * 64, b"import os\n", b"\xff" * 4096, b"cos\nsystem\n(S'true'\ntR."]


@pytest.mark.parametrize("poison", POISONS, ids=range(len(POISONS)))
def test_garbage_in_the_cache_is_no_program(cache: Cache, poison: bytes) -> None:
    for entry in cache.entries():
        entry.write_bytes(poison)
    assert cache.run() == ("honest\n", 0)


def test_a_truncated_or_flipped_entry_is_no_program(cache: Cache) -> None:
    for cut in (1, 8, 16, 40):
        for entry in cache.entries():
            data = entry.read_bytes()
            entry.write_bytes(data[:-cut] if cut % 16 else data[:cut] + bytes([data[cut] ^ 1]) + data[cut + 1 :])
        assert cache.run() == ("honest\n", 0)


def test_an_entry_of_another_program_is_not_taken(cache: Cache, tmp_path: Path) -> None:
    mine = {entry: entry.read_bytes() for entry in cache.entries()}
    cache.program.write_text('println("other")\n', encoding="utf-8")
    assert cache.run() == ("other\n", 0)
    others = [entry for entry in cache.entries() if entry not in mine]
    for entry in others:
        for data in mine.values():
            entry.write_bytes(data)
    assert cache.run() == ("other\n", 0)


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX")
def test_a_folder_that_others_can_write_is_not_trusted(cache: Cache) -> None:
    for folder in [cache.folder, *(path for path in cache.folder.rglob("*") if path.is_dir())]:
        folder.chmod(0o777)
    marks = {entry: entry.stat().st_mtime_ns for entry in cache.entries()}
    cache.program.write_text('println("new program")\n', encoding="utf-8")
    assert cache.run() == ("new program\n", 0)
    for folder in (path for path in cache.folder.rglob("*") if path.is_dir()):
        open_to_all = bool(stat.S_IMODE(folder.stat().st_mode) & 0o022)
        assert not open_to_all or set(folder.iterdir()) <= {*marks, *cache.folder.rglob("*/")}


OUTSIDE = ["/etc/passwd", "/etc/nowhere", "/etc", "../secret", "../nowhere", "../open", "link", "a/../../secret"]
IMPORTS = ['import "{}"', 'import {{ x }} from "{}"', 'pub import {{ x }} from "{}"']


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("form", IMPORTS)
def test_without_the_capability_an_import_tells_nothing_of_files_outside(name: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "secret.harn").write_text("hunter2 is the password\n", encoding="utf-8")
    (tmp_path / "open.harn").write_text("pub let x = 1\n", encoding="utf-8")
    own = tmp_path / "own"
    own.mkdir()
    (own / "link.harn").symlink_to(tmp_path / "secret.harn")
    (own / "main.harn").write_text(form.format(name) + '\nprintln("never")\n', encoding="utf-8")
    result = harnlite.Engine(cache=False, capabilities=()).run(own / "main.harn")
    assert result.stdout == ""
    assert result.error == (
        f"Runtime error: Import error: cannot read '{name}' outside the folder of the program: it needs fs.read "
        "(--allow fs.read=…)"
    )


def test_without_the_capability_a_program_imports_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.harn").write_text('import { two } from "../two"\npub fn one() { return two() }\n')
    (tmp_path / "two.harn").write_text("pub fn two() { return 2 }\n")
    (tmp_path / "main.harn").write_text('import "std/math"\nimport { one } from "parts/one"\nprintln(one())\n')
    assert harnlite.Engine(cache=False, capabilities=()).run(tmp_path / "main.harn").stdout == "2\n"
    assert harnlite.Engine(cache=False, capabilities={"fs.read"}).run(tmp_path / "parts" / "one.harn").error is None
