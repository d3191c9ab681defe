// Written by `harnlite hook install`; `harnlite hook remove` deletes it.
//
// Reports what happens in opencode to harnlite, and puts the answers of its rules into the conversation.
// It runs under node and bun. Whatever fails in harnlite, opencode continues as without this plugin.

import { spawn } from "node:child_process";

const COMMAND = ["harnlite", "hook", "--agent", "opencode"];
const EVENTS = [];
const PATIENCE_MS = 5000;
const LONGEST_OUTPUT = 1 << 20;

/** Run the command for an event; return its answer, or an empty object if there is none. */
function ask(event, data) {
  return new Promise((resolve) => {
    let output = "";
    let timer;
    const finish = (answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    try {
      const [program, ...words] = [...COMMAND, event];
      const child = spawn(program, words, {
        cwd: data.cwd,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      timer = setTimeout(() => {
        child.kill("SIGKILL");
        finish({});
      }, PATIENCE_MS);
      child.on("error", () => finish({}));
      child.on("close", () => finish(parsed(output)));
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (part) => {
        if (output.length < LONGEST_OUTPUT) output += part;
      });
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify({ agent: "opencode", event, ...data }));
    } catch {
      finish({});
    }
  });
}

function parsed(text) {
  try {
    const answer = JSON.parse(text);
    return answer && typeof answer === "object" ? answer : {};
  } catch {
    return {};
  }
}

function textOf(parts) {
  const texts = (Array.isArray(parts) ? parts : []).filter((part) => part?.type === "text" && !part.synthetic);
  return texts.map((part) => part.text).join("\n");
}

export const HarnlitePlugin = async ({ directory } = {}) => {
  const wanted = new Set(EVENTS);
  const parents = new Map(); // child session -> its parent
  const usage = new Map(); // session -> tokens of the last answer
  const windows = new Map(); // session -> size of the context window
  const running = new Map(); // session -> its last call, so that calls arrive in their order

  /** Report an event of a session after those before it. */
  const report = (event, session, data) => {
    if (!wanted.has(event) || !session) return Promise.resolve({});
    const parent = parents.get(session);
    const fields = { session_id: session, cwd: directory ?? process.cwd(), ...(parent && { parent_id: parent }), ...data };
    if (usage.has(session)) fields.tokens = usage.get(session);
    if (windows.has(session)) fields.window = windows.get(session);
    const call = (running.get(session) ?? Promise.resolve()).then(() => ask(event, fields));
    running.delete(session); // the session that was active last is the last one of the table
    running.set(session, call);
    return call;
  };

  const forget = (session) => {
    for (const table of [parents, usage, windows, running]) table.delete(session);
  };

  const handlers = {
    "session.created": ({ info }) => {
      if (info?.parentID) parents.set(info.id, info.parentID);
      report("session.created", info?.id, { source: "startup", ...(info?.parentID && { title: info.title }) });
    },
    "session.compacted": ({ sessionID }) => {
      usage.delete(sessionID);
      report("session.compacted", sessionID, {});
    },
    "session.idle": ({ sessionID }) => {
      report("session.idle", sessionID, {});
    },
    "session.deleted": ({ info }) => {
      report("session.deleted", info?.id, {}).then(() => forget(info?.id));
    },
    "file.edited": ({ file, sessionID }) => {
      // opencode does not name the session: the file is reported to the one that was active last.
      report("file.edited", sessionID ?? [...running.keys()].at(-1), { path: file });
    },
    "message.updated": ({ info }) => {
      if (info?.role === "assistant" && !info.summary && info.tokens?.input > 0) usage.set(info.sessionID, info.tokens);
    },
  };

  return {
    event: async ({ event } = {}) => {
      try {
        handlers[event?.type]?.(event.properties ?? {});
      } catch {}
    },

    "chat.params": async (input) => {
      const size = input?.model?.limit?.context;
      if (size > 0) windows.set(input.sessionID, size);
    },

    "chat.message": async (input, output) => {
      try {
        const session = input.sessionID ?? output.message?.sessionID;
        const { context } = await report("chat.message", session, {
          prompt: textOf(output.parts),
          message_id: output.message?.id ?? input.messageID,
          model: input.model?.modelID,
        });
        if (typeof context !== "string" || !context) return;
        const last = output.parts.at(-1);
        output.parts.push({
          id: `${last?.id ?? "prt_0"}h`, // sorted after the part before it
          sessionID: session,
          messageID: output.message?.id ?? last?.messageID,
          type: "text",
          text: context,
          synthetic: true,
        });
      } catch {}
    },

    "tool.execute.before": async (input, output) => {
      let reason;
      try {
        const { deny } = await report("tool.execute.before", input.sessionID, {
          tool: input.tool,
          call_id: input.callID,
          args: output.args,
        });
        reason = deny;
      } catch {}
      if (typeof reason === "string" && reason) throw new Error(reason);
    },

    "tool.execute.after": async (input, output) => {
      try {
        const { context } = await report("tool.execute.after", input.sessionID, {
          tool: input.tool,
          call_id: input.callID,
          args: input.args ?? output.metadata?.args,
          output: output.output,
        });
        if (typeof context === "string" && context) output.output = `${output.output ?? ""}\n\n${context}`;
      } catch {}
    },

    "experimental.session.compacting": async (input, output) => {
      try {
        const { context } = await report("experimental.session.compacting", input.sessionID, {});
        if (typeof context === "string" && context) output.context.push(context);
      } catch {}
    },
  };
};
