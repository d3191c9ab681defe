"""Installs coding agents from npm into a cache folder outside of the repository, on demand.

The name of a folder contains a digest of the lock file. Where an installation is not possible (no npm, no network),
the test is skipped. The scripts of the packages are not run: their programs are found in the packages for the platform.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parent / "packages"
CACHE = Path("~/.cache/harnlite-tests").expanduser()
# Not `npm ci`, which refuses lock files without the packages for other platforms.
NPM = ("install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000")
SECONDS = 400


@cache
def package_folder(agent: str) -> Path | str:
    """Return the folder in which the package of an agent is installed, or the reason why it is not."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return "Node is not installed"
    lock = PACKAGES / agent / "package-lock.json"
    folder = CACHE / f"{agent}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = folder / ".installed"
        if done.exists():
            return folder
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(lock.with_name(name), folder / name)
        try:
            subprocess.run((npm, *NPM), cwd=folder, check=True, capture_output=True, timeout=SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            return f"npm could not install the agent: {error}"
        done.touch()
    return folder


def program(agent: str, pattern: str) -> list[str]:
    """Return the words that start an agent; `pattern` finds its program in the installed packages."""
    folder = package_folder(agent)
    if isinstance(folder, str):
        pytest.skip(folder)
    found = sorted((folder / "node_modules").glob(pattern))
    for path in found:
        words = ["node", str(path)] if path.suffix == ".js" else [str(path)]
        if _starts(words):
            return words
    pytest.skip(f"the agent does not start here: {[str(path) for path in found]}")


def _starts(words: list[str]) -> bool:
    """Return whether a program can tell its version: some packages are for other processors or C libraries."""
    try:
        return subprocess.run([*words, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
