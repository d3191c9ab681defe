"""Builtins that describe the machine, the user and the folders of a run."""

from __future__ import annotations

import os
import sys

from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.library.working_folders import host_text, project_above, state_root
from harnlite.runtime.environment_settings import setting
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from platform import uname_result

    from harnlite.runtime.tasks.execution import Execution

_PLATFORMS = {"darwin": "darwin", "win32": "windows"}
_ARCHITECTURES = {"arm64": "aarch64", "AMD64": "x86_64"}


def _variable(name: str) -> str | None:
    value = os.environ.get(name)
    return None if value is None else host_text(value)


@native("env")
def env(run: Execution, name: object = "") -> str | None:
    """Return the value of an environment variable, or nil if it is not set."""
    require(run, "env.read", "env", display(name))
    return _variable(display(name))


@native("env_or")
def env_or(run: Execution, name: object = "", default: object = None) -> object:
    """Return the value of an environment variable, or the default if it is not set."""
    require(run, "env.read", "env_or", display(name))
    value = _variable(display(name))
    return default if value is None else value


@native("username")
def username(run: Execution) -> str:
    """Return the name of the user."""
    require(run, "env.read", "username", "USER")
    return _variable("USER") or _variable("USERNAME") or ""


def _system() -> uname_result:
    import platform

    return platform.uname()


@native("hostname")
def hostname() -> str:
    """Return the name of the machine."""
    return host_text(_system().node)


@native("platform")
def platform_name() -> str:
    """Return `linux`, `darwin` or `windows`."""
    return _PLATFORMS.get(sys.platform, "linux")


@native("arch")
def arch() -> str:
    """Return the processor architecture, such as `x86_64` or `aarch64`."""
    machine = _system().machine
    return _ARCHITECTURES.get(machine, machine)


@native("home_dir")
def home_dir(run: Execution) -> str:
    """Return the user's home folder."""
    require(run, "env.read", "home_dir", "HOME")
    return _variable("HOME") or ""


@native("pid")
def pid() -> int:
    """Return the id of this process."""
    return os.getpid()


@native("cwd")
def cwd(run: Execution) -> str:
    """Return the working directory."""
    return run.cwd


@native("execution_root")
def execution_root(run: Execution) -> str:
    """Return the folder that relative paths are resolved against."""
    return run.cwd


@native("source_dir")
def source_dir(run: Execution) -> str:
    """Return the folder of the source file that contains the call."""
    return run.source_dir()


@native("asset_root")
def asset_root(run: Execution) -> str:
    """Return the folder that templates are looked up in."""
    return run.source_dir()


@native("project_root")
def project_root(run: Execution) -> str | None:
    """Return the nearest folder above the working directory with a `harn.toml`, or nil."""
    return project_above(run.cwd)


@native("runtime_paths")
def runtime_paths(run: Execution) -> dict[str, object]:
    """Return the folders that a run uses."""
    source = run.source_dir()
    base = project_above(run.cwd) or project_above(source) or source
    state = state_root(base)
    return {
        "asset_root": source,
        "execution_root": run.cwd,
        "run_root": os.path.join(base, setting("RUN_DIR") or ".harn-runs"),
        "state_root": state,
        "worktree_root": os.path.join(base, setting("WORKTREE_DIR") or os.path.join(state, "worktrees")),
    }
