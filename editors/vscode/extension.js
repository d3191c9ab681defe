// Starts `harnlite lsp` for .harn files. Without vscode-languageclient the extension still colours them.
"use strict";
const vscode = require("vscode");

let client;

function languageClient() {
  try {
    return require("vscode-languageclient/node").LanguageClient;
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
}

function serverPath() {
  const path = vscode.workspace.getConfiguration("harnlite").get("path") || "harnlite";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return path.replace("${workspaceFolder}", folder);
}

async function start() {
  const LanguageClient = languageClient();
  if (!LanguageClient) {
    vscode.window.showInformationMessage(
      "harnlite: colours only. For the language server, run `npm install` in the folder of this extension."
    );
    return;
  }
  const command = serverPath();
  client = new LanguageClient(
    "harnlite",
    "harnlite",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ language: "harn" }],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.harn,harn.toml,pyproject.toml}") },
    }
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `harnlite: \`${command} lsp\` does not start (${error.message}). The setting harnlite.path names the program.`
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("harnlite.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("harnlite.path")) return restart();
    })
  );
  await start();
}

module.exports = { activate, deactivate: stop };
