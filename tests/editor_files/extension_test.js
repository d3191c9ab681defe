// Runs the extension with a VS Code that is not there, and prints what it did.
// Arguments: the extension, and "with" or "without" a client.
"use strict";
const Module = require("module");
const [, , extension, client] = process.argv;
const events = [];
const handlers = {};

const vscode = {
  workspace: {
    workspaceFolders: [{ uri: { fsPath: "/project" } }],
    getConfiguration: () => ({ get: () => "${workspaceFolder}/bin/harnlite" }),
    createFileSystemWatcher: (pattern) => pattern,
    onDidChangeConfiguration: (handler) => (handlers.changed = handler),
  },
  window: {
    showInformationMessage: (text) => events.push(["information", text]),
    showErrorMessage: (text) => events.push(["error", text]),
  },
  commands: { registerCommand: (name, handler) => (handlers[name] = handler) },
};

class LanguageClient {
  constructor(id, name, server, options) {
    events.push(["client", id, server, options.documentSelector, options.synchronize.fileEvents]);
  }
  async start() {
    events.push(["start"]);
    if (client === "broken") throw new Error("spawn ENOENT");
  }
  async stop() {
    events.push(["stop"]);
  }
}

const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") {
    if (client !== "without") return { LanguageClient };
    throw Object.assign(new Error("no such module"), { code: "MODULE_NOT_FOUND" });
  }
  return load.call(this, name, ...rest);
};

async function main() {
  const { activate, deactivate } = require(extension);
  await activate({ subscriptions: [] });
  await handlers.changed({ affectsConfiguration: (name) => name === "harnlite.path" });
  await handlers["harnlite.restart"]();
  await deactivate();
  process.stdout.write(JSON.stringify(events));
}

main();
