"""The code reads exactly the options that the tables declare."""

import ast
from pathlib import Path

import pytest

import harnlite
from harnlite.agent.compaction.compaction_settings import (
    message_settings,
    session_settings,
    settings_of,
    transcript_settings,
)
from harnlite.agent.loop.features.loop_skills import MatchSettings
from harnlite.agent.loop.state.iteration_budget import BudgetSettings, _Numbers
from harnlite.agent.loop.state.judge_settings import Cadence, JudgeSettings, StepJudgeSettings, read_step_judge
from harnlite.agent.loop.state.loop_options import DEFAULTS, PROFILES, read_options
from harnlite.agent.loop.state.stall import StallSettings, read_stall
from harnlite.agent.tools.policy import Policy
from harnlite.llm.budget import budget_of
from harnlite.llm.options import read_options as read_call_options
from harnlite.llm.thinking import thinking_of
from harnlite.llm.tool_search import SearchSettings
from harnlite.options.defaults import defaults, names
from harnlite.options.expected import SUBJECTS, TABLES, options_in
from harnlite.resources import folder
from harnlite.runtime.tasks.execution import Execution

PACKAGE = Path(harnlite.__file__).parent
OWN = {"_iteration", "_completion", "_tool_contract", "_reminders"}
"""Keys with which the parts of a loop talk to each other."""
REFUSED = {"persistent", "transcript"}
STORED = {"author", "context_policy", "examples", "on_activate", "on_deactivate", "resume_workflow"}
"""Keys that are kept with the rest of their dict."""


class Recording(dict):
    """Options that note which of them are read."""

    def __init__(self, given=()):
        super().__init__(given)
        self.read = set()

    def get(self, key, default=None):
        self.read.add(key)
        return super().get(key, default)

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def __contains__(self, key):
        self.read.add(key)
        return super().__contains__(key)


def read_by(reader, given=()):
    options = Recording(given)
    reader(options)
    return options.read


def tables(*named):
    return {key for name in named for key in options_in(name)}


READERS = {
    "loop": (lambda given: read_options(Execution(), given), {}, ("loop",)),
    "call": (lambda given: read_call_options(given, lambda _: None), {}, ("model_call",)),
    "budget": (lambda given: budget_of({"budget": {}} | given), {}, ("budget",)),
    "loop compaction": (settings_of, {"compaction": True}, ("loop",)),
    "messages": (message_settings, {}, ("messages_compaction", "limits", "summary_policy")),
    "transcript": (transcript_settings, {}, ("transcript_compaction", "limits", "summary_policy")),
    "judge": (JudgeSettings, {}, ("judge",)),
    "cadence": (Cadence, {}, ("cadence",)),
    "step judge": (StepJudgeSettings, {}, ("step_judge",)),
    "step judge, if any": (read_step_judge, {}, ("step_judge",)),
    "stall": (StallSettings, {}, ("stall",)),
    "stall, if any": (read_stall, {}, ("stall",)),
    "skill match": (MatchSettings, {}, ("skill_match",)),
    "iterations": (lambda given: BudgetSettings(given, _Numbers(given), "fixed", 1, 1), {}, ("iteration_budget",)),
    "policy": (Policy, {}, ("policy",)),
    "tool search": (SearchSettings, {}, ("tool_search",)),
    "thinking": (thinking_of, {}, ("model_call",)),
}


@pytest.mark.parametrize("name", READERS)
def test_each_option_that_is_read_is_declared(name):
    reader, given, declared = READERS[name]
    read = read_by(reader, given)
    assert len(read) > 1 or name == "budget"
    assert read - tables(*declared) <= OWN | REFUSED


@pytest.mark.parametrize("name", ["judge", "cadence", "stall", "skill match", "policy", "tool search"])
def test_each_option_that_is_declared_is_read(name):
    reader, given, declared = READERS[name]
    also = read_by(read_stall) if name == "stall" else set()
    assert tables(*declared) <= read_by(reader, given) | also


def test_options_of_session_compactions_are_those_that_are_accepted():
    given = dict.fromkeys(names(TABLES["session_compaction"]))
    assert session_settings(given).threshold == defaults(TABLES["session_compaction"])["token_threshold"]


def strings(path):
    return {
        node.value
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def keys_of_loops(path):
    """Yield the keys that a file reads from the options of a loop or a call."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        is_get = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        holder = node.func.value if is_get else None
        if isinstance(holder, ast.Attribute) and holder.attr in {"given", "llm_options"} and node.args:
            key = node.args[0]
            if isinstance(key, ast.Constant):
                yield key.value


def test_each_key_that_a_loop_or_a_call_reads_later_is_declared():
    files = [*(PACKAGE / "agent" / "loop").rglob("*.py"), *(PACKAGE / "llm").rglob("*.py")]
    read = {key for path in files for key in keys_of_loops(path)}
    assert len(read) > 5
    assert read - tables("loop", "model_call") <= OWN


def test_each_declared_name_stands_in_the_code():
    files = [
        path for name in ("agent", "llm", "library", "reminders", "store") for path in (PACKAGE / name).rglob("*.py")
    ]
    written = {one for path in files for one in strings(path)}
    std = " ".join(path.read_text(encoding="utf-8") for path in Path(folder("stdlib")).rglob("*.harn"))
    tables_of_options = [name for name, table in TABLES.items() if "; " in table]
    declared = {key for name in tables_of_options for key in names(TABLES[name])}
    assert {key for key in declared - written if f".{key}" not in std} == STORED


def test_profiles_are_complete():
    assert list(PROFILES) == list(names(TABLES["profile"]))
    assert PROFILES["verifier"] == {
        "max_iterations": 5, "max_nudges": 0, "tool_retries": 0, "llm_retries": 2, "schema_retries": 3,
    }  # fmt: skip
    for key, numbers in DEFAULTS.items():
        assert not isinstance(numbers, tuple) or len(numbers) == len(PROFILES), key


def test_options_that_several_tables_declare_have_one_default():
    assert DEFAULTS["compact_threshold"] == defaults(TABLES["messages_compaction"])["compact_threshold"]
    assert DEFAULTS["compact_keep_last"] == defaults(TABLES["limits"])["keep_last"]
    assert DEFAULTS["compact_strategy"] == defaults(TABLES["messages_compaction"])["compact_strategy"]
    assert DEFAULTS["iteration_budget"] == defaults(TABLES["iteration_budget"])["mode"]
    for key in ("tool_backoff_ms", "max_concurrent_tools"):
        assert DEFAULTS[key] == defaults(TABLES["dispatch"])[key]
    for key in ("keep_last", "hard_limit_strategy"):
        assert defaults(TABLES["limits"])[key] == defaults(TABLES["session_compaction"])[key]


def test_nothing_given_means_the_defaults():
    options = read_options(Execution(), {})
    assert options.numbers == PROFILES["tool_using"]
    assert (options.loop_until_done, options.timestamp_messages, options.is_daemon) == (
        DEFAULTS["loop_until_done"], DEFAULTS["timestamp_messages"], DEFAULTS["daemon"],
    )  # fmt: skip
    assert (options.budget.mode, options.native_tool_fallback) == ("fixed", "reject")
    call = read_call_options({}, lambda _: None)
    assert (call.passed["max_tokens"], call.passed["timeout"], call.schema_retries) == (16384, 120, 1)
    settings = message_settings({})
    declared = defaults(TABLES["messages_compaction"]) | defaults(TABLES["limits"])
    assert (settings.engine, settings.threshold) == (declared["compact_strategy"], declared["compact_threshold"])
    assert (settings.keep_first, settings.keep_last) == (declared["keep_first"], declared["keep_last"])
    assert settings.hard_limit_strategy == declared["hard_limit_strategy"]


def test_tables_are_data():
    for subject in SUBJECTS:
        tree = ast.parse(Path(subject.__file__).read_bytes())
        assert not [node for node in ast.walk(tree) if isinstance(node, (ast.Call, ast.FunctionDef, ast.ClassDef))]
    assert options_in("reminder")["body"].kinds == {"string"}
