"""Installing into any settings, and removing again, gives back the same bytes."""

import json
import os
import tempfile
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.agent_hooks.install.agent_files import AGENT_FILES, GROUPS, HANDLERS
from harnlite.agent_hooks.install.file_changes import apply_all
from harnlite.agent_hooks.install.installation import Installation

AGENTS = sorted(name for name, files in AGENT_FILES.items() if files.form in {GROUPS, HANDLERS})
EVENTS = sorted({event for name in AGENTS for event in [*AGENT_FILES[name].events, *AGENT_FILES[name].optional]})
OPTIONS = ["--script", "/a b/it's.harn", "--sandbox"]

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
HANDLER = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text(max_size=8)}, optional={"timeout": PLAIN}
)
GROUP = st.fixed_dictionaries({"hooks": st.lists(HANDLER, max_size=3)}, optional={"matcher": st.text(max_size=3)})
HOOKS = st.dictionaries(st.sampled_from(EVENTS), st.lists(GROUP | HANDLER | PLAIN, max_size=3), max_size=4)
SETTINGS = st.dictionaries(st.text(max_size=5), PLAIN, max_size=4).flatmap(
    lambda data: (
        st.just({key: value for key, value in data.items() if key != "hooks"})
        | HOOKS.map(lambda hooks: {**data, "hooks": hooks})
    )
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t", 0, 1])
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")])


@pytest.fixture(scope="module", autouse=True)
def _state():
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"HARNLITE_STATE_DIR": folder}):
        yield


@given(
    st.sampled_from(AGENTS),
    SETTINGS,
    LAYOUTS,
    SEPARATORS,
    st.booleans(),
    st.sampled_from(["", "\n", "  "]),
    st.booleans(),
)
def test_installing_and_removing(agent, settings, indent, separators, crlf, end, has_mark):
    text = json.dumps(settings, indent=indent, separators=separators, ensure_ascii=False) + end
    text = ("\ufeff" if has_mark else "") + (text.replace("\n", "\r\n") if crlf else text)
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(AGENT_FILES[agent], "project", folder, {})
        os.makedirs(os.path.dirname(installation.path))
        write(installation.path, text.encode("utf-8", "surrogatepass"))
        events = list(installation.files.events)
        apply_all(installation.install(OPTIONS, events), installation.records)
        once = read(installation.path)
        assert [hook.words[-5:] for hook in installation.hooks() if hook.event == events[0]] == [
            [agent, *OPTIONS, events[0]][-5:]
        ]
        assert not any(change.is_needed for change in installation.install(OPTIONS, events))
        assert without_ours(once) == normal(json.loads(text.removeprefix("\ufeff")))

        installation.records.forget(installation.path)
        [change] = installation.remove()
        if change.after is not None:
            assert normal(json.loads(change.after.removeprefix("\ufeff"))) == normal(settings)

        write(installation.path, text.encode("utf-8", "surrogatepass"))
        for options in (OPTIONS, [*OPTIONS, "--observe"]):
            apply_all(installation.install(options, events), installation.records)
        apply_all(installation.remove(), installation.records)
        assert read(installation.path) == text


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read().decode()


def without_ours(text):
    """Return settings without the handlers that start harnlite, found in another way than by harnlite."""
    data = json.loads(text.removeprefix("\ufeff"))
    for event, groups in data.get("hooks", {}).items():
        data["hooks"][event] = [group for group in groups if "agent_hooks/start.py" not in json.dumps(group)]
    data.pop("version", None)
    return normal(data)


def normal(data):
    """Return settings without what an empty list of hooks adds to them."""
    hooks = {event: groups for event, groups in data.get("hooks", {}).items() if groups}
    rest = {key: value for key, value in data.items() if key not in {"hooks", "version"}}
    return {**rest, "hooks": hooks} if hooks else rest
