// A client on the TypeScript SDK of 2025, which knows no extension: node old_client.mjs SCENARIO FOLDER COMMAND...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { ClientSideConnection, ndJsonStream } from "@zed-industries/agent-client-protocol";

const [scenario, cwd, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const found = { updates: [], permissions: 0 };
const client = {
  async requestPermission(params) {
    found.permissions += 1;
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  },
  async sessionUpdate(params) {
    found.updates.push(params.update);
  },
};
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const peer = new ClientSideConnection(() => client, stream);
found.initialized = await peer.initialize({
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
});
const { sessionId } = await peer.newSession({ cwd, mcpServers: [], _meta: { session_id: "EVIL" } });
found.session = sessionId;
found.prompt = await peer.prompt({ sessionId, prompt: [{ type: "text", text: "Do it." }] });
found.live = found.updates.splice(0).map((update) => update.sessionUpdate);
found.loaded = await peer.loadSession({ sessionId, cwd, mcpServers: [] });
if (scenario === "extensions") {
  found.reminder = await peer.extMethod("session/inject_reminder", { sessionId, body: "Mind the gap." });
}
agent.stdin.end();
found.exit = await new Promise((resolve) => agent.on("exit", resolve));
console.log(JSON.stringify(found));
process.exit(0);
