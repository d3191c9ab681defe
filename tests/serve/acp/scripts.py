"""The scripts that the servers of these tests run."""

WORKSHOP = r"""
import { agent_emit_event } from "std/agent/state"

tool look(path: string) -> string { description "Looks at a path."; return "seen ${path}" }
tool pause(ms: int) -> string { description "Waits."; sleep_ms(ms); return "waited" }
tool broken() -> string { description "Fails."; throw "it is broken" }
tool danger(what: string) -> string { description "Does something dangerous."; return "did ${what}" }
tool harmful() -> string { description "Does something else that is dangerous."; return "did harm" }
tool secretive(text: string) -> string { description "Repeats its text."; return "password=hunter2hunter2 ${text}" }

let readers = tool_define(tool_registry(), "read", "Reads a file.", {
  annotations: {kind: "read"}, parameters: {path: {type: "string"}}, handler: { call -> "content of ${call.path}" },
})
var count = 0
let all = look + pause + broken + danger + harmful + secretive + readers

// The first word of the task chooses what a turn does; a task that begins with another word is for an agent.
pipeline main(task, turn) {
  let words = task.split(" ")
  let rest = words.slice(1).join(" ")
  if words[0] == "return" { return json_parse(rest) }
  if words[0] == "throw" { throw rest }
  if words[0] == "print" { println(rest); return nil }
  if words[0] == "info" { agent_emit_event(turn.session_id, "session_info_update", json_parse(rest)); return nil }
  if words[0] == "turn" { return json_stringify(turn) }
  if words[0] == "nap" { sleep_ms(to_int(rest)); return nil }
  if words[0] == "spin" { while true { count = count + 1 } }
  if words[0] == "count" { count = count + 1; return to_string(count) }
  if words[0] == "file" { return read_file(rest) }
  if words[0] == "loop" { return agent_loop("Go.", nil, json_parse(rest)) }
  if words[0] == "call" { agent_loop(rest); return llm_call("and now?").text }
  if words[0] == "compact" {
    agent_session_compact(turn.session_id, {keep_last: 1, compact_strategy: "truncate", token_threshold: 1})
    return nil
  }
  return agent_loop(task, "You help.", {
    tools: all, tool_format: "native", reminders: false, approval_policy: {require_approval: ["danger", "harmful"]},
  })
}
"""
