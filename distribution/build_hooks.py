"""The hooks of the build, which decide how a wheel installs the command `harnlite`.

On POSIX systems it is the script `distribution/launcher`. Windows needs a program instead, which installers make of an
entry point; a wheel with an entry point would replace the script on all systems, so Windows gets a wheel of its own. It
is built on Windows, and elsewhere if the environment variable HARNLITE_WHEEL is `windows`.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ENTRY_POINT = "harnlite.cli.entry:main"
LAUNCHER = "distribution/launcher"
WINDOWS_TAG = "py3-none-win32.win_amd64.win_arm64"


def _is_for_windows() -> bool:
    return os.environ.get("HARNLITE_WHEEL", "windows" if os.name == "nt" else "") == "windows"


class ScriptsMetadataHook(MetadataHookInterface):
    """The metadata of the project: for Windows, with the entry point."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the entry points of the command line."""
        metadata["scripts"] = {"harnlite": ENTRY_POINT} if _is_for_windows() else {}


class LauncherBuildHook(BuildHookInterface[Any]):
    """The content of a wheel: the launcher, or for Windows a tag that only Windows accepts."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the launcher to the scripts of the wheel."""
        if not _is_for_windows():
            build_data["shared_scripts"] = {os.path.join(self.root, LAUNCHER): "harnlite"}
        elif version == "standard":
            build_data["tag"] = WINDOWS_TAG
