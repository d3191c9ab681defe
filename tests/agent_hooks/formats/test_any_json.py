"""Whatever an agent writes, it is read without an error, and the answer is one that the agent accepts."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnlite.agent_hooks.calls.agent_calls import EVENTS, AgentCall, Budget, Speech
from harnlite.agent_hooks.calls.json_text import parsed, written
from harnlite.agent_hooks.formats.callers import caller_of
from harnlite.agent_hooks.formats.table import FORMATS, format_of
from tests.agent_hooks.formats.answer_schemas import problem
from tests.agent_hooks.formats.hook_samples import SAMPLES
from tests.samples import count

KEYS = sorted({key for sample in SAMPLES.values() for key in sample["stdin"]} | {"error", "persistedOutputPath"})
WORDS = sorted({value for sample in SAMPLES.values() for value in sample["stdin"].values() if isinstance(value, str)})
NATIVES = sorted({native for agent in FORMATS for native in format_of(agent).events})
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
ODD = st.sampled_from([float("nan"), float("inf"), -float("inf"), 10**30, -1, "1e999", "<hook_context>", "{", "[]"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | ODD | st.sampled_from(WORDS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | ANY_TEXT, inner, max_size=4),
    max_leaves=6,
)
PAYLOADS = st.dictionaries(st.sampled_from(KEYS) | ANY_TEXT, VALUES, max_size=6)
ENVS = st.dictionaries(st.sampled_from(["QWEN_PROJECT_DIR", "GEMINI_SESSION_ID", "CURSOR_VERSION", "X"]), ANY_TEXT)
OPTIONAL_TEXT = st.none() | ANY_TEXT
ARGUMENTS = st.none() | st.dictionaries(ANY_TEXT, VALUES, max_size=3)
SPEECHES = st.builds(
    lambda context, deny, go_on, arguments: Speech(context, deny=deny, go_on=go_on, arguments=arguments),
    ANY_TEXT,
    OPTIONAL_TEXT,
    OPTIONAL_TEXT,
    ARGUMENTS,
)
SETTINGS = settings(max_examples=count(1000, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
TEXTS = "agent native event session actor actor_type task source cwd transcript model turn_id prompt message"
TOOL_TEXTS = "name kind id command result error"


@SETTINGS
@given(
    agent=st.sampled_from(sorted(FORMATS)),
    data=PAYLOADS,
    native=st.sampled_from(NATIVES) | ANY_TEXT,
    env=ENVS,
    speech=SPEECHES,
)
def test_any_payload_is_answered(agent, data, native, env, speech):
    form = format_of(agent)
    call = form.read(data, native, env)
    check(call)
    answer = form.answer(call, speech)
    assert problem(agent, call.native, answer.stdout, answer.status, answer.stderr) == ""


@SETTINGS
@given(data=PAYLOADS, env=ENVS, named=st.sampled_from(sorted(FORMATS)))
def test_any_payload_has_a_caller(data, env, named):
    assert caller_of(data, env, named) in FORMATS


@SETTINGS
@given(name=st.sampled_from(sorted(SAMPLES)), key=st.sampled_from(KEYS), value=VALUES, speech=SPEECHES)
def test_a_sample_with_a_wrong_field_is_answered(name, key, value, speech):
    sample = SAMPLES[name]
    data = {**sample["stdin"], key: value}
    form = format_of(caller_of(data, {}, name.partition("/")[0]))
    call = form.read(data, sample["native"], {})
    check(call)
    answer = form.answer(call, speech)
    assert problem(form.name, call.native, answer.stdout, answer.status, answer.stderr) == ""


@SETTINGS
@given(value=VALUES)
def test_what_is_written_can_be_read(value):
    text = written(value)
    assert text.isascii()
    assert "\n" not in text
    assert written(parsed(text)) == text


def check(call: AgentCall) -> None:
    """Check the types of everything in a call."""
    texts = [getattr(call, name) for name in TEXTS.split()]
    texts += [getattr(use, name) for use in call.tools for name in TOOL_TEXTS.split()]
    texts += [path for use in call.tools for path in use.paths] + call.paths
    for text in texts:
        assert isinstance(text, str)
        if text != call.native:
            text.encode()
    assert call.event in {*EVENTS, ""}
    assert call.is_user_prompt in {True, False}
    assert call.is_continuing in {True, False}
    assert all(isinstance(use.arguments, dict) and isinstance(use.size, int) for use in call.tools)
    if call.budget is not None:
        assert isinstance(call.budget, Budget)
        assert call.budget.used > 0 <= call.budget.window
