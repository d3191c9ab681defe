"""`host_call` reaches the connected host, unless a mock answers."""

import pytest

from harnlite import Host

SCRIPT = """pipeline main(task) {
  if task == "mocked" {
    host_mock("git", "status", "mocked")
  }
  return [host_call("git.status", {path: "a"}), len(host_mock_calls())]
}
"""


class Desk:
    """Answers operations of a host."""

    def call_operation(self, _run, capability, operation, params):
        return f"{capability} {operation} {params['path']}"


@pytest.mark.parametrize(("task", "value"), [("plain", ["git status a", 0]), ("mocked", ["mocked", 1])])
def test_a_connected_host_answers_what_no_mock_does(task, value):
    with Host(script=SCRIPT, bridge=Desk()) as host:
        assert host.prompt(host.open(), task).result(60) == value
