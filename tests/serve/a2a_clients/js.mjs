// A client on @a2a-js/sdk: node js.mjs SDK_FOLDER URL WORD GATE CONTEXT; prints one line of JSON.
import { createRequire } from "node:module";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";

const [folder, url, word, gate, context] = process.argv.slice(2);
const need = createRequire(pathToFileURL(folder + "/"));
const { ClientFactory } = need("@a2a-js/sdk/client");
const { Role, TaskState } = need("@a2a-js/sdk");

const message = (text, more = {}) => ({
  messageId: randomUUID(), role: Role.ROLE_USER, contextId: "", taskId: "", extensions: [], referenceTaskIds: [],
  parts: [{ content: { $case: "text", value: text }, filename: "", mediaType: "" }], ...more,
});
const state = (value) => TaskState[value].replace("TASK_STATE_", "").toLowerCase();
const textOf = (parts) => parts.map((part) => (part.content?.$case === "text" ? part.content.value : "")).join("");
const request = (text, more, configuration) => ({ tenant: "", message: message(text, more), configuration });

const client = await new ClientFactory().createFromUrl(url);
const found = {};
let task = await client.sendMessage(request("echo hello"));
found.send = [state(task.status.state), textOf(task.artifacts[0].parts)];
const again = await client.getTask({ tenant: "", id: task.id, historyLength: 1 });
found.get = [state(again.status.state), again.history.length];
const listed = await client.listTasks({ tenant: "", contextId: task.contextId, pageSize: 5, status: 0, pageToken: "" });
found.list = [listed.totalSize, listed.nextPageToken];
task = await client.sendMessage(request('json {"status":"input_required","text":"Which?"}'));
found.question = [state(task.status.state), textOf(task.status.message.parts)];
task = await client.sendMessage(request("echo that", { taskId: task.id, contextId: task.contextId }));
found.answer = state(task.status.state);
task = await client.sendMessage(request(`wait ${gate}`, {}, { acceptedOutputModes: [], returnImmediately: true }));
found.cancel = state((await client.cancelTask({ tenant: "", id: task.id })).status.state);
found.message = textOf((await client.sendMessage(request('json {"message":"just a word"}'))).parts);
try {
  await client.getTask({ tenant: "", id: "no-such-task" });
} catch (error) {
  found.error = error.constructor.name;
}
const states = [], reminders = [];
let text = "";
for await (const event of client.sendMessageStream(request(word, { contextId: context }))) {
  const { $case: kind, value } = event.payload;
  if (kind === "task") states.push(state(value.status.state));
  else if (kind === "statusUpdate" && value.metadata?.harn) reminders.push([value.metadata.harn.event, value.metadata.harn.reminder.body]);
  else if (kind === "statusUpdate") states.push(state(value.status.state));
  else if (kind === "artifactUpdate") text += textOf(value.artifact.parts);
}
found.stream = [states, reminders, text];
console.log(JSON.stringify(found));
