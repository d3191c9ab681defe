"""Installs the official client SDKs into a cache folder outside of the repository, on demand.

The name of a folder contains a digest of the lock file, so a changed lock gets a new folder. Where an installation is
not possible (no npm, no network), the test is skipped.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.expanduser("~/.cache/harnlite-tests")
NPM = ("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=20000")


def _folder(kind: str, *locks: str) -> str:
    digest = hashlib.sha256()
    for lock in locks:
        with open(os.path.join(HERE, lock), "rb") as file:
            digest.update(file.read())
    return os.path.join(CACHE, f"{kind}-{digest.hexdigest()[:16]}")


def _installed(folder: str, copied: tuple[str, ...], *commands: tuple[str, ...], timeout: float = 120) -> str:
    """Copy files into the folder and run the commands there, unless it has been done."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in copied:
            target = os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(HERE, name), target)
        done = os.path.join(folder, ".installed")
        if not os.path.exists(done):
            for command in commands:
                try:
                    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=timeout)
                except (OSError, subprocess.SubprocessError) as error:
                    pytest.skip(f"{command[0]} could not install the client: {error}")
            with open(done, "w"):
                pass
    return folder


def typescript() -> str:
    """Return a folder with the TypeScript SDKs and their clients."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("Node is not installed")
    copied = ("package.json", "package-lock.json", "client.mjs", "old_client.mjs")
    return _installed(_folder("npm", "package-lock.json"), copied, NPM)


def python() -> str:
    """Return a folder with the Python SDK, for PYTHONPATH."""
    packages = ("--target", ".", "--no-deps", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt")
    pip = (sys.executable, "-m", "pip", "install", *packages)
    version = f"python{sys.version_info[0]}{sys.version_info[1]}"
    return _installed(_folder(version, "requirements.txt"), ("requirements.txt",), pip)


def rust() -> str:
    """Return the path of the client that is built with the Rust SDK."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    copied = ("rust/Cargo.toml", "rust/Cargo.lock", "rust/src/main.rs")
    build = ("cargo", "build", "--quiet", "--locked", "--manifest-path", "rust/Cargo.toml")
    folder = _installed(_folder("cargo", *copied), copied, build, timeout=560)
    return os.path.join(folder, "rust", "target", "debug", "acp_client")
