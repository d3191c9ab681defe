"""The tools of coding agents: what each does, its files, its command, and what its result says.

One table serves all agents, because no name of a tool stands for different things in two of them.
"""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import EDIT, FETCH, OTHER, READ, SEARCH, SHELL, TASK, ToolUse
from harnlite.agent_hooks.calls.json_text import well_formed, written
from harnlite.agent_hooks.formats.fields import list_of, object_of, text_of, texts_of

_NAMES = {
    READ: "read readfile readmanyfiles view viewfile notebookread fsread readcode open openfile readtextfile cat",
    EDIT: "edit write multiedit notebookedit applypatch replace writefile editfile strreplace writecode create "
    "createfile writetofile replaceinfile fswrite searchreplace patch delete deletefile strreplaceeditor newfile "
    "strreplacefile multireplacefilecontent replacefilecontent insertedit inserteditintofile replacestringinfile "
    "multireplacestringinfile editnotebook editnotebookfile texteditor developertexteditor",
    SHELL: "bash shell execcommand localshell runshellcommand runterminalcmd runterminalcommand runinterminal exec "
    "executecommand execute executebash runcommand powershell developershell terminal",
    SEARCH: "glob grep ls list listdirectory listdir listfiles searchfilecontent grepsearch ripgrep rg codebasesearch "
    "filesearch searchfiles find findbyname search semanticsearch textsearch listcodedefinitionnames codesearch",
    FETCH: "webfetch websearch googlewebsearch fetch fetchurl searchweb readurlcontent browseraction fetchwebpage",
    TASK: "task agent subagent spawnagent delegate usesubagents newtask runsubagent codebaseinvestigator usesubagent "
    "invokeagent",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}

_PATHS = (
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "target_file",
    "target_notebook",
    "path",
    "filename",
    "file",
    "TargetFile",
    "AbsolutePath",
)
_PATH_LISTS = ("paths", "file_paths", "filePaths", "files")
_COMMANDS = ("command", "cmd", "CommandLine", "commandLine", "script")
_PATCHES = ("command", "input", "patch", "patchText", "patch_text")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_SHELL_WORDS = 3  # bash -lc COMMAND

_RESULTS = (
    "llmContent",
    "textResultForLlm",
    "text_result_for_llm",
    "content",
    "output",
    "result",
    "text",
    "file",
    "filenames",
    "message",
    "response_parts",
    "functionResponse",
    "response",
    "error",
)
_DEEPEST = 20
_PERSISTED = "<persisted-output>"
_CUT = (_PERSISTED, "Warning: truncated output", "Output too long", "Output too large", "Tool output was too large")
_CUT_IN_HEAD = 400  # Codex and Gemini may put a few lines about the process in front
_HEAD = 300
_FIGURES = 12
_FAILED = (
    "<tool_use_error>",
    "File does not exist. ",
    "Error: ",
    "Exit code ",
    "Exit code: ",
    "Process exited with code ",
)
_UNITS = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def kind_of(name: str) -> str:
    """Return what the tool does, from its name."""
    return _KINDS.get(name.replace("_", "").replace("-", "").lower(), OTHER)


def tool_use(name: str, arguments: object, use_id: str = "") -> ToolUse:
    """Return a call of a tool with its kind, paths and command."""
    use = ToolUse(name, object_of(arguments), use_id)
    use.kind = kind_of(name)
    if use.kind == SHELL:
        use.command = _command(use.arguments)
    elif use.kind in {READ, EDIT, OTHER}:
        use.paths = _paths(use.arguments)
        if not use.paths and use.kind == EDIT:
            patch = arguments if isinstance(arguments, str) else text_of(use.arguments, _PATCHES)
            use.paths = patched_paths(patch)
    return use


def _command(arguments: dict[str, object]) -> str:
    for name in _COMMANDS:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return well_formed(value)
        words = texts_of(value)
        if len(words) == _SHELL_WORDS and words[1].startswith("-") and words[1].endswith("c"):
            return words[2]
        if words:
            return " ".join(words)
    return ""


def _paths(arguments: dict[str, object]) -> list[str]:
    path = text_of(arguments, _PATHS)
    if path:
        return [path]
    for name in _PATH_LISTS:
        items = list_of(arguments.get(name))
        paths = [item if isinstance(item, str) else text_of(object_of(item), _PATHS) for item in items]
        if any(paths):
            return [well_formed(path) for path in paths if path]
    return []


def patched_paths(patch: str) -> list[str]:
    """Return the files that a patch in the form of `apply_patch` adds, changes, deletes or moves."""
    lines = [line for line in patch.splitlines() if line.startswith(_PATCHED)]
    paths = [well_formed(line.partition(": ")[2].strip()) for line in lines]
    return list(dict.fromkeys(path for path in paths if path))


def read_result(use: ToolUse, response: object, error: object = None) -> None:
    """Set the result, the error and the truncation of a call from the agent's response."""
    use.result = result_text(response)
    use.error = _error_text(error)
    if isinstance(response, dict):
        use.error = use.error or _error_text(response.get("error")) or _failure(response, use.result)
        use.size = _count(response.get("persistedOutputSize"))
        use.is_truncated = "persistedOutputPath" in response or use.size > 0
        use.is_truncated = use.is_truncated or _is_cut(text_of(response, ("returnDisplay",)))
    elif use.result.startswith(_FAILED):
        use.error = use.error or _reported_failure(use.result)
    if use.kind == SHELL and not use.error and _exit_code(use.result):
        use.error = use.result
    if _is_cut(use.result):
        use.is_truncated = True
        use.size = use.size or _uncut_size(use.result)


def result_text(value: object, depth: int = 0) -> str:
    """Return the text of a response: a string, blocks of content, or an object of the tool's own."""
    if isinstance(value, str):
        return well_formed(value)
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return "\n".join(text for text in [result_text(item, depth + 1) for item in value] if text)
    if not isinstance(value, dict) or not value:
        return ""
    streams = [text_of(value, (name,)) for name in ("stdout", "stderr")]
    if any(streams):
        return "\n".join(stream for stream in streams if stream)
    for name in _RESULTS:
        item = value.get(name)
        text = result_text(item, depth + 1) if isinstance(item, (str, list, dict)) else ""
        if text:
            return text
    return "" if depth or not value.keys().isdisjoint(_NO_TEXT) else _object_text(value)


_NO_TEXT = frozenset(("stdout", "structuredPatch", "originalFile", "llmContent", "file", "filenames"))


def _object_text(value: dict[str, object]) -> str:
    try:
        return written(value)
    except RecursionError:
        return ""


def _error_text(error: object) -> str:
    if isinstance(error, str):
        return well_formed(error)
    if isinstance(error, dict):
        return text_of(error, ("message", "error", "type")) or "error"
    return "error" if error is True else ""


def _failure(response: dict[str, object], result: str) -> str:
    kind = response.get("resultType", response.get("result_type", "success"))
    failed = response.get("is_error") is True or response.get("isError") is True or response.get("success") is False
    code = response.get("exit_code", response.get("exitCode", 0))
    failed = failed or kind not in {"success", None} if isinstance(kind, str) else failed
    if failed or (isinstance(code, int) and not isinstance(code, bool) and code != 0):
        return result or "error"
    return ""


def _reported_failure(result: str) -> str:
    for start in _FAILED:
        if result.startswith(start):
            if start.startswith(("Exit code", "Process")):
                code = result[len(start) : _HEAD].lstrip(" ").partition("\n")[0].strip()
                return result if code.lstrip("-").isdigit() and code.strip("-0") else ""
            return result
    return ""


def _exit_code(result: str) -> str:
    """Return the exit code at the end of a result in the form of Gemini CLI; empty if there is none, or it is 0."""
    _, found, rest = result[-_HEAD:].rpartition("\nExit Code: ")
    code = rest.partition("\n")[0]
    return code.strip("0") if found and code.isascii() and code.isdigit() else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _is_cut(result: str) -> bool:
    if result.lstrip().startswith(_CUT):
        return True
    return any(f"\n{sign}" in result[:_CUT_IN_HEAD] for sign in _CUT)


def _uncut_size(result: str) -> int:
    """Return the size that a cut result states in the form of Gemini CLI or of Claude Code, or 0."""
    _, start, rest = result.partition("\n... [")
    omitted, end, _ = rest.partition(" characters omitted]")
    omitted = omitted.replace(",", "")
    if start and end and omitted.isascii() and omitted.isdigit() and len(omitted) < _FIGURES:
        return len(result) + int(omitted)
    return _persisted_size(result)


def _persisted_size(result: str) -> int:
    """Return the size in `Output too large (54.2KB). Full output saved to: …`, or 0."""
    _, start, rest = result[:_CUT_IN_HEAD].partition("too large (")
    figure, end, _ = rest.partition(")")
    unit = _UNITS.get(figure[-2:].upper(), 0)
    if not start or not end or not unit:
        return 0
    try:
        return max(0, int(float(figure[:-2]) * unit))
    except (ValueError, OverflowError):
        return 0
