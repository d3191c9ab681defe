"""The changes that install or remove the hooks of one agent in one scope."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnlite.agent_hooks.install.agent_files import PLUGIN, SCRIPTS
from harnlite.agent_hooks.install.agent_scripts import (
    SUFFIX,
    plugin_events,
    plugin_text,
    plugin_words,
    script_text,
    script_words,
)
from harnlite.agent_hooks.install.file_changes import FileChange, UnusableFile, read_text, without_mark
from harnlite.agent_hooks.install.hook_commands import has_mark, words_in, words_of
from harnlite.agent_hooks.install.hook_entries import HookText, empty_text
from harnlite.agent_hooks.install.install_records import InstallRecords, Record
from harnlite.agent_hooks.install.json_edits import TextEdit
from harnlite.agent_hooks.install.toml_entries import TomlHookText
from harnlite.agent_hooks.state_folder import state_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnlite.agent_hooks.install.agent_files import AgentFiles

TOML = "config.toml"


class InstalledHook:
    """An event that starts harnlite, with the file and the words of the command."""

    __slots__ = ("event", "path", "words")

    def __init__(self, path: str, event: str, words: Sequence[str]) -> None:
        self.path = path
        self.event = event
        self.words = list(words)


class Installation:
    """The hooks of one agent in one scope; `folder` is that of the project."""

    def __init__(self, files: AgentFiles, scope: str, folder: str, env: Mapping[str, str]) -> None:
        self.files = files
        self.scope = scope
        self.path = files.path(scope, folder, env)
        """The configuration; for an agent with one script per event, their folder."""
        self.records = InstallRecords(state_folder())

    def hooks(self) -> list[InstalledHook]:
        """Return the hooks of harnlite that are installed; raise UnusableFile or LanguageError if that is unclear."""
        if self.files.form not in (SCRIPTS, PLUGIN):
            return [
                InstalledHook(path, event, words_in(entry))
                for path in self._configurations()
                for event, entry in self._entries(path)
            ]
        found = []
        for path in self._programs():
            text = read_text(path)
            if text is None or not has_mark(text):
                continue
            if self.files.form == PLUGIN:
                found += [InstalledHook(path, event, plugin_words(text)) for event in plugin_events(text)]
            else:
                event = os.path.basename(path).removesuffix(SUFFIX)
                found.append(InstalledHook(self.path, event, script_words(text)))
        return found

    def install(self, options: Sequence[str], events: Sequence[str]) -> list[FileChange]:
        """Return the changes that make exactly these events start harnlite with these options."""
        if self.files.form == SCRIPTS:
            return self._scripts(options, events)
        if self.files.form == PLUGIN:
            command = words_of(self.files.name, options, "")[:-1]
            return [self._program(self.path, plugin_text(command, events))]
        path = self._configuration()
        before = read_text(path)
        mark, text = without_mark(before or "")
        start = self._original(path, before, text)
        current = self._text(path, text if text.strip() else empty_text(self.files))
        wanted = [(event, current.wanted_entry(event, options)) for event in events]
        if before is not None and sorted(current.entries(), key=_event) == sorted(wanted, key=_event):
            return [FileChange(path, before, before)]
        steps: list[list[TextEdit]] = []
        base = start or ""
        if not base.strip():
            fresh = "" if path.endswith(TOML) else empty_text(self.files)
            steps.append([TextEdit(0, base, fresh)])
            base = fresh
        new = self._text(path, base)
        for event in events:
            new.add(event, options)
        record = Record([*steps, *new.steps], existed=start is not None)
        return [FileChange(path, before, mark + new.text, record=record)]

    def remove(self) -> list[FileChange]:
        """Return the changes that remove harnlite, and restore the files if nothing else has changed in them."""
        if self.files.form in (SCRIPTS, PLUGIN):
            return [
                FileChange(path, text, None)
                for path in self._programs()
                for text in [read_text(path)]
                if text is not None and has_mark(text)
            ]
        changes = []
        for path in self._configurations():
            before = read_text(path)
            if before is None or not self._entries(path):
                continue
            mark, text = without_mark(before)
            original = self._original(path, before, text)
            changes.append(FileChange(path, before, None if original is None else mark + original))
        return changes

    def _original(self, path: str, before: str | None, text: str) -> str | None:
        """Return the text of a configuration without harnlite, or None if there is no file then."""
        if before is None:
            return None
        record = self.records.read(path, before.encode())
        if record is not None:
            return record.undone(text)
        if not text.strip():
            return text
        rest = self._text(path, text)
        if not rest.entries():
            return text
        rest.remove_all()
        return None if self.files.is_own_file and rest.is_bare else rest.text

    def _text(self, path: str, text: str) -> HookText | TomlHookText:
        return (TomlHookText if path.endswith(TOML) else HookText)(text, path, self.files)

    def _entries(self, path: str) -> list[tuple[str, Mapping[str, object]]]:
        text = without_mark(read_text(path) or "")[1]
        return self._text(path, text).entries() if text.strip() else []

    def _configurations(self) -> list[str]:
        """Return the paths of the configurations that may contain hooks."""
        if self.files.name != "codex":
            return [self.path]
        return [self.path, os.path.join(os.path.dirname(self.path), TOML)]

    def _configuration(self) -> str:
        """Return the configuration to change. Codex warns if hooks stand in both of its files."""
        paths = self._configurations()
        for path in paths:
            if self._entries(path):
                return path
        other = paths[-1]
        if len(paths) > 1 and not os.path.lexists(self.path):
            text = without_mark(read_text(other) or "")[1]
            if text.strip() and TomlHookText(text, other, self.files).has_hooks:
                return other
        return self.path

    def _programs(self) -> list[str]:
        """Return the paths of the programs that may belong to harnlite."""
        if self.files.form == PLUGIN:
            return [self.path]
        events = sorted({*self.files.events, *self.files.optional})
        return [os.path.join(self.path, event + SUFFIX) for event in events]

    def _scripts(self, options: Sequence[str], events: Sequence[str]) -> list[FileChange]:
        wanted = {os.path.join(self.path, event + SUFFIX): script_text(self.files, options, event) for event in events}
        others = [change for change in self.remove() if change.path not in wanted]
        return [*others, *(self._program(path, text) for path, text in sorted(wanted.items()))]

    def _program(self, path: str, text: str) -> FileChange:
        before = read_text(path)
        if before is not None and not has_mark(before):
            raise UnusableFile(f"{path} exists and was not written by harnlite; nothing was changed")
        is_program = self.files.form == SCRIPTS
        return FileChange(path, before, text, record=Record(existed=False), is_program=is_program)


def project_folder(start: str) -> str:
    """Return the folder of the project that contains a folder: that of its repository, or else the folder itself.

    The home folder is not a project, even if it is a repository.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    folder = os.path.abspath(start)
    while os.path.realpath(folder) != home and os.path.dirname(folder) != folder:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        folder = os.path.dirname(folder)
    return os.path.abspath(start)


def is_home(folder: str) -> bool:
    """Return whether a folder is the home folder, where the scopes of users and projects are the same files."""
    return os.path.realpath(folder) == os.path.realpath(os.path.expanduser("~"))


def _event(entry: tuple[str, Mapping[str, object]]) -> str:
    return entry[0]
