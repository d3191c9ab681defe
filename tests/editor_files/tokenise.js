// Tokenises texts with the TextMate grammar as VS Code does.
// In: {grammar: path, texts: [..]} on stdin. Out: {scopes: [..], tokens: [[start, end, scope], ..] for each text}.
"use strict";
const fs = require("fs");
const path = require("path");
const { Registry, INITIAL, parseRawGrammar } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const codePoints = (text) => [...text].length;

function tokensOf(grammar, text, indexOf) {
  const found = [];
  let state = INITIAL;
  let base = 0;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const { startIndex, endIndex, scopes } of result.tokens) {
      const start = codePoints(line.slice(0, startIndex));
      const end = start + codePoints(line.slice(startIndex, endIndex));
      if (end > start) found.push([base + start, base + end, indexOf(scopes.join(" "))]);
    }
    base += codePoints(line) + 1;
  }
  return found;
}

async function main() {
  const request = JSON.parse(fs.readFileSync(0, "utf8"));
  const wasm = fs.readFileSync(path.join(path.dirname(require.resolve("vscode-oniguruma")), "onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(request.grammar, "utf8"), request.grammar),
  });
  const grammar = await registry.loadGrammar("source.harn");
  const known = new Map();
  const indexOf = (scopes) => {
    if (!known.has(scopes)) known.set(scopes, known.size);
    return known.get(scopes);
  };
  const tokens = request.texts.map((text) => tokensOf(grammar, text, indexOf));
  process.stdout.write(JSON.stringify({ scopes: [...known.keys()], tokens }));
}

main();
