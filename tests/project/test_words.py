"""Words that no file may contain, and modules that may use the clock or random numbers."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SKIPPED = {"dist", "build", "__pycache__", "node_modules", "target"}
TEXT = {"", ".py", ".md", ".toml", ".harn", ".lark", ".lock", ".expected", ".error", ".sh", ".txt", ".json"}

FORBIDDEN = [
    r"\b[T]ODO\b",
    r"\b[F]IXME\b",
    r"\b[X]XX\b",
    r"[N]otImplementedError",
    r"\b[s]hared/(design|reference|seeds|hooks)",
    r"/[w]ork/",
    r"/tmp/[b]rief",
    r"type: [i]gnore(?!\[)",
]

AMBIENT = re.compile(
    r"\btime\.(time|time_ns|monotonic|monotonic_ns|perf_counter)\(|\bfrom time import\b"
    r"|\b(datetime|date)\.(now|today|utcnow)\(|\brandom\.\w+\(|\bfrom random import (?!Random\b)"
    r"|\buuid\.uuid\d\(|\bos\.urandom\(|\bsecrets\."
)
SOURCES_OF_TIME_AND_CHANCE = {
    "harnlite/runtime/tasks/clock.py",  # the clock itself
    "harnlite/runtime/tasks/ids.py",  # the ids themselves
    "harnlite/values/interrupts.py",  # when to look at a task; no script sees it
    "harnlite/runtime/tasks/scheduler.py",  # how long a task has run, and real waiting
    "harnlite/formats/patterns/matching.py",  # how long a regular expression may take
    # The processes of hooks, which must not load the clock of a run: real waiting, the log, and when state is old.
    "harnlite/agent_hooks/counter_files.py",
    "harnlite/agent_hooks/full_runs.py",
    "harnlite/agent_hooks/hook_log.py",
    "harnlite/agent_hooks/hook_process.py",
    "harnlite/agent_hooks/session_database.py",
    "harnlite/agent_hooks/session_files.py",
    "harnlite/agent_hooks/watchdog.py",
}


def files(folder: Path = ROOT) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in SKIPPED or (path.name.startswith(".") and path.name != ".ci"):
            continue
        if path.is_dir():
            yield from files(path)
        elif path.suffix in TEXT and path.name != "LICENSE":
            yield path


def test_nothing_is_left_for_later():
    forbidden = re.compile("|".join(FORBIDDEN))
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        if forbidden.search(text := path.read_text(errors="replace"))
        for number, line in enumerate(text.splitlines(), 1)
        if forbidden.search(line)
    ]
    assert not found


def test_time_and_chance_come_from_the_engine():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(ROOT / "harnlite")
        if str(path.relative_to(ROOT)) not in SOURCES_OF_TIME_AND_CHANCE and path.suffix == ".py"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if AMBIENT.search(line)
    ]
    assert not found


def test_nothing_posix_only_is_imported_at_the_top():
    posix = re.compile(r"^(import|from) (fcntl|termios|pwd|grp|resource|tty|pty|syslog|posix|readline)\b", re.MULTILINE)
    assert not [path for path in files(ROOT / "harnlite") if path.suffix == ".py" and posix.search(path.read_text())]
