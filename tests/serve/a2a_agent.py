"""The script that most tests of `harnlite a2a` run: each prompt says what the turn does."""

AGENT = r"""// An agent whose prompts say what it does; anything else goes to the model.
import {
  agent_emit_event,
  agent_session_inject_reminder,
  agent_session_push_bridge_injection,
} from "std/agent/state"

/// Does what its prompt says.
pub pipeline default(task, context = nil) {
  let words = task.split(" ")
  let rest = words.slice(1).join(" ")
  if words[0] == "echo" { return rest }
  if words[0] == "json" { return json_parse(rest) }
  if words[0] == "context" { return json_stringify(context) }
  if words[0] == "fail" { throw rest }
  if words[0] == "print" { println(rest); return "printed" }
  if words[0] == "nothing" { return nil }
  if words[0] == "wait" { wait_for(rest); return "waited" }
  if words[0] == "big" { return "x".repeat(to_int(rest)) }
  if words[0] == "pieces" {
    wait_for(words[1])
    for number in 0 to to_int(words[2]) exclusive {
      let parts = [{text: "line ${number} " + "x".repeat(to_int(words[3]))}]
      agent_emit_event(context.session_id, "artifact", {name: "log", parts: parts, append: number > 0})
    }
    return "sent"
  }
  if words[0] == "artifact" {
    agent_emit_event(context.session_id, "artifact", {name: "log", parts: [{text: "one"}], last_chunk: false})
    let end = {name: "log", parts: [{text: "two"}], append: true, last_chunk: true}
    agent_emit_event(context.session_id, "artifact", end)
    return rest
  }
  if words[0] == "remind" {
    agent_session_inject_reminder(context.session_id, {body: "From the script."})
    agent_session_push_bridge_injection(context.session_id, {body: "By the bridge.", mode: "finish_step"})
  }
  return agent_loop(task, "You are a worker.", {tools: tools(), tool_format: "native"})
}

/// Shouts what it is told.
pub pipeline shout(task) { return task.upper() + "!" }

pipeline hidden(task) { return "hidden" }

fn wait_for(path) {
  while !file_exists(path) { sleep(5ms) }
}

fn tools() {
  let registry = tool_define(tool_registry(), "peek", "Looks.", {handler: { args -> "peeked" }})
  let waiting = tool_define(registry, "wait", "Waits for a file.", {handler: { args -> wait_for(args.path); "waited" }})
  let delegate = { args -> sub_agent_run(args.task, {tools: []}).summary }
  return tool_define(waiting, "delegate", "Asks a helper.", {handler: delegate})
}
"""
