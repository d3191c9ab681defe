// A client on the official TypeScript SDK: node client.mjs SCENARIO FOLDER COMMAND...; prints one line of JSON.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [scenario, cwd, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const updates = [];
const listeners = [];
const found = { updates, permissions: 0 };

function seen(predicate) {
  const one = updates.find(predicate);
  return one ? Promise.resolve(one) : new Promise((resolve) => listeners.push({ predicate, resolve }));
}

function received(update) {
  updates.push(update);
  for (const { predicate, resolve } of listeners) if (predicate(update)) resolve(update);
}

const app = acp
  .client({ name: "test" })
  .onRequest(acp.methods.client.session.requestPermission, (context) => {
    found.permissions += 1;
    return { outcome: { outcome: "selected", optionId: context.params.options[0].optionId } };
  })
  .onNotification(acp.methods.client.session.update, (context) => received(context.params.update));

const text = (words) => [{ type: "text", text: words }];

async function tour(peer, sessionId) {
  found.prompt = await peer.request(acp.methods.agent.session.prompt, { sessionId, prompt: text("Do it.") });
  found.list = await peer.request(acp.methods.agent.session.list, {});
  found.closed = await peer.request(acp.methods.agent.session.close, { sessionId });
  found.live = updates.splice(0).map((update) => update.sessionUpdate);
  found.loaded = await peer.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  found.resumed = await peer.request(acp.methods.agent.session.resume, { sessionId, cwd });
  found.unknown = await peer.request("session/fork", { sessionId, cwd }).catch((error) => error.code);
  found.removed = await peer.request(acp.methods.agent.session.delete, { sessionId });
}

async function extensions(peer, sessionId) {
  const turn = peer.request(acp.methods.agent.session.prompt, { sessionId, prompt: text("Wait.") });
  await seen((update) => update.sessionUpdate === "tool_call_update");
  found.inject = await peer.request("session/inject", { sessionId, mode: "steer", content: text("Go left.") });
  found.reminder = await peer.request("session/inject_reminder", { sessionId, body: "Mind the gap.", ttlTurns: 1 });
  await peer.notify("session/remind", { body: "As a notification.", ttl_turns: 1 });
  found.pending = await peer.request("session/pending_injections", { sessionId });
  found.revoked = await peer.request("_session/revoke_reminder", { reminderId: found.pending.injections[2].id });
  found.prompt = await turn;
  found.error = await peer
    .request("session/revoke_inject", { sessionId, messageId: found.inject.messageId })
    .catch((error) => ({ code: error.code, data: error.data }));
}

async function cancel(peer, sessionId) {
  const turn = peer.request(acp.methods.agent.session.prompt, { sessionId, prompt: text("Wait.") });
  await seen((update) => update.sessionUpdate === "tool_call_update");
  await peer.notify(acp.methods.agent.session.cancel, { sessionId });
  found.prompt = await turn;
}

await app.connectWith(stream, async (peer) => {
  found.initialized = await peer.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const params = { cwd, mcpServers: [], _meta: { session_id: "EVIL", sessionId: "EVIL" } };
  const { sessionId } = await peer.request(acp.methods.agent.session.new, params);
  found.session = sessionId;
  await { tour, extensions, cancel }[scenario](peer, sessionId);
});
agent.stdin.end();
found.exit = await new Promise((resolve) => agent.on("exit", resolve));
console.log(JSON.stringify(found));
process.exit(0);
