"""What each agent writes to stdin at each event, with what harnlite is to read in it."""

import json
from pathlib import Path

from harnlite.agent_hooks.formats.callers import caller_of
from harnlite.agent_hooks.formats.table import format_of

FOLDER = Path(__file__).with_name("samples")
SAMPLES = {
    f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*/*.json"))
}


def agent_of(name):
    return name.partition("/")[0]


def read(name):
    """Return the format of a sample's agent, and the call that it reads in the sample."""
    sample = SAMPLES[name]
    env = sample.get("env", {})
    agent = caller_of(sample["stdin"], env, sample.get("named", ""))
    form = format_of(agent)
    assert form is not None, agent
    return form, form.read(sample["stdin"], sample["native"], env)
