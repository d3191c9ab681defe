"""Times in results, handles and records: texts in the form of RFC 3339, in UTC."""

import json
import re

from harnlite import Engine

SECONDS = "artifacts.created_at"
"""Artifacts, handoffs and sessions count seconds."""
FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

PROGRAM = """
let base = {provider: "mock", model: "mock"}
fn show(name, value) { println(json_stringify([name, value])) }

pipeline default() {
  for n in 1 to 6 { llm_mock({text: "ok"}) }
  show("loop", agent_loop("t", nil, base))
  let worker = spawn_agent({task: "w", node: {}, options: base, carry: {persist_state: false}})
  show("suspended", suspend_agent(worker, "lunch"))
  resume_agent(worker)
  show("finished", wait_agent(worker))
  show("closed", close_agent(spawn_agent({task: "x", node: {}, options: base, carry: {persist_state: false}})))
  let flow = workflow_graph({name: "f", entry: "a", nodes: {a: {kind: "stage", mode: "llm"}}, edges: []})
  show("workflow", workflow_execute("t", flow, [], base))
}
"""


def times(value, path=""):
    """Yield the path and the value of each key that names a point in time."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.endswith("_at") and inner is not None:
                yield f"{path}.{key}", inner
            yield from times(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from times(inner, path)


def test_each_time_has_the_form_of_rfc_3339(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = Engine(cache=False).run(PROGRAM)
    assert result.error is None, result.error
    found = {}
    for line in result.stdout.splitlines():
        name, value = json.loads(line)
        found |= dict(times(value, name))
    wrong = {
        path: value for path, value in found.items() if not FORM.fullmatch(str(value)) and not path.endswith(SECONDS)
    }
    assert not wrong
    ends = {path.rpartition(".")[2] for path in found}
    assert {"started_at", "created_at", "finished_at", "suspended_at"} <= ends
