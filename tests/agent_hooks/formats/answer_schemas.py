"""What each agent accepts as the answer of a hook, restated from its own schema; an unknown key is an error.

The module knows nothing of the formats of harnlite. `problem(agent, event, …)` names what the agent would reject.
"""

import json

TEXT = "a text with content"
CLAUDE_CONTEXT = {
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
}
VSCODE_CONTEXT = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"}
CODEX_CONTEXT = {"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}
CODEX_BLOCK = {"UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"}
COPILOT_CONTEXT = {"sessionStart", "postToolUse", "postToolUseFailure", "subagentStart", "notification"}
CURSOR_CONTEXT = {"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"}
CLINE_CONTEXT = {"TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse"}


def problem(agent, event, stdout, status=0, stderr=""):
    """Return what the agent would reject in an answer, or an empty text."""
    if agent in PLAIN:
        return PLAIN[agent](event, stdout, status, stderr)
    if status or stderr:
        return "an exit code or stderr"
    try:
        stdout.encode()
    except UnicodeEncodeError:
        return "a lone surrogate"
    if stdout == "":
        return "" if agent not in {"cursor", "cline"} else "nothing"
    try:
        value = json.loads(stdout, parse_constant=rejected)
    except ValueError:
        return "not JSON"
    if not isinstance(value, dict):
        return "not an object"
    if "\\ud" in stdout.lower() and any(0xD800 <= ord(c) < 0xE000 for c in json.dumps(value, ensure_ascii=False)):
        return "a lone surrogate"
    return OBJECTS[agent](event, value)


def rejected(constant):
    raise ValueError(constant)


def keys(value, required, optional=()):
    """Return the first key that is missing, unknown or of a wrong kind; a set lists the values of a key."""
    for key, kind in required.items():
        if key not in value:
            return f"{key} is missing"
        if not fits(value[key], kind):
            return f"{key} is wrong"
    for key, found in value.items():
        if key in required:
            continue
        if key not in optional or not fits(found, dict(optional)[key]):
            return f"{key} is not known"
    return ""


def fits(value, kind):
    if kind is TEXT:
        return isinstance(value, str) and bool(value.strip())
    if isinstance(kind, set):
        return not isinstance(value, (dict, list)) and value in kind
    return isinstance(value, kind)


def claude(context_events=CLAUDE_CONTEXT, block_events=("UserPromptSubmit", "Stop", "SubagentStop", "PreCompact")):
    def check(event, value):
        if "decision" in value:
            if event not in block_events:
                return "a decision"
            return keys(value, {"decision": {"block"}, "reason": TEXT})
        wrong = keys(value, {"hookSpecificOutput": dict})
        if wrong:
            return wrong
        output = value["hookSpecificOutput"]
        if event not in context_events:
            return "text at an event without a model"
        required = {"hookEventName": {event}}
        if event == "PreToolUse":
            if output.get("permissionDecision") == "deny":
                required["permissionDecisionReason"] = TEXT
            optional = {"permissionDecision": {"deny"}, "updatedInput": dict, "additionalContext": TEXT}
        else:
            required["additionalContext"] = TEXT
            optional = {}
        return keys(output, required, optional) or ("nothing in it" if len(output) == 1 else "")

    return check


def codex(event, value):
    if "decision" in value:
        return keys(value, {"decision": {"block"}, "reason": TEXT}) if event in CODEX_BLOCK else "a decision"
    wrong = keys(value, {"hookSpecificOutput": dict})
    if wrong or event not in CODEX_CONTEXT:
        return wrong or "text at an event without a model"
    output = value["hookSpecificOutput"]
    optional = {"additionalContext": TEXT}
    required = {"hookEventName": {event}}
    if event == "PreToolUse":
        decision = output.get("permissionDecision")
        if decision == "deny":
            required.update({"permissionDecision": {"deny"}, "permissionDecisionReason": TEXT})
        elif decision == "allow":  # Codex refuses a permission without changed arguments, and the other way round
            required.update({"permissionDecision": {"allow"}, "updatedInput": dict})
    return keys(output, required, optional) or ("nothing in it" if len(output) == 1 else "")


def gemini(event, value):
    if "decision" in value:
        if event not in {"BeforeTool", "BeforeAgent", "AfterAgent"}:
            return "a decision"
        return keys(value, {"decision": {"deny"}, "reason": TEXT}) or brackets(value["reason"])
    wrong = keys(value, {"hookSpecificOutput": dict})
    if wrong:
        return wrong
    output = value["hookSpecificOutput"]
    if event == "BeforeTool":
        return keys(output, {"hookEventName": {event}, "tool_input": dict})
    if event not in {"SessionStart", "BeforeAgent", "AfterTool"}:
        return "text at an event without a model"
    return keys(output, {"hookEventName": {event}, "additionalContext": TEXT}) or brackets(output["additionalContext"])


def qwen(event, value):
    wrong = claude(block_events=("UserPromptSubmit", "Stop", "SubagentStop"))(event, value)
    output = value.get("hookSpecificOutput", {})
    if event == "PreToolUse" and not output.keys() <= {
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
    }:
        return "what Qwen Code does not use"
    texts = (value.get("reason"), output.get("additionalContext"), output.get("permissionDecisionReason"))
    return wrong or "".join(brackets(text) for text in texts if text)


def brackets(text):
    return "angle brackets" if "<" in text or ">" in text else ""


def copilot(event, value):
    if event == "preToolUse":
        if "modifiedArgs" in value:
            return keys(value, {"modifiedArgs": dict})
        return keys(value, {"permissionDecision": {"deny"}, "permissionDecisionReason": TEXT})
    if event in {"agentStop", "subagentStop"}:
        return keys(value, {"decision": {"block"}, "reason": TEXT})
    return keys(value, {"additionalContext": TEXT}) if event in COPILOT_CONTEXT else "text at an event without a model"


def cursor(event, value):
    if event in {"stop", "subagentStop"}:
        return keys(value, {}, {"followup_message": TEXT})
    if event == "preToolUse" and "permission" in value:
        return keys(value, {"permission": {"deny"}, "agent_message": TEXT})
    if event == "beforeSubmitPrompt" and "continue" in value:
        return keys(value, {"continue": {False}, "user_message": TEXT})
    optional = {"additional_context": TEXT} if event in CURSOR_CONTEXT else {}
    return keys(value, {}, {**optional, "updated_input": dict} if event == "preToolUse" else optional)


def cline(event, value):
    if value.get("cancel") is True:
        refused = event in {"PreToolUse", "UserPromptSubmit"}
        return keys(value, {"cancel": {True}, "errorMessage": TEXT}) if refused else "a refusal"
    return keys(value, {"cancel": {False}}, {"contextModification": TEXT} if event in CLINE_CONTEXT else ())


def opencode(event, value):
    kinds = {"chat.message": "context", "tool.execute.after": "context", "tool.execute.before": "deny"}
    return keys(value, {kinds[event]: TEXT}) if event in kinds else "an answer"


def antigravity(event, value):
    decisions = {"PreToolUse": "deny", "Stop": "continue"}
    if event in decisions:
        return keys(value, {"decision": {decisions[event]}, "reason": TEXT})
    wrong = keys(value, {"injectSteps": list})
    if wrong or event != "PreInvocation":
        return wrong or "an answer"
    return "".join(keys(step, {"ephemeralMessage": TEXT}) for step in value["injectSteps"])


def goose(event, value):
    return keys(value, {"decision": {"block"}, "reason": TEXT}) if event in {"Stop", "PreToolUse"} else "an answer"


def kimi(event, value):
    if event == "UserPromptSubmit":
        return keys(value, {"message": TEXT})
    return claude({"PreToolUse"}, ("Stop",))(event, value)


OBJECTS = {
    "claude-code": claude(),
    "codebuddy": claude(block_events=("UserPromptSubmit", "Stop", "SubagentStop")),
    "codex": codex,
    "gemini": gemini,
    "tabnine": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "vscode": claude(VSCODE_CONTEXT, ("UserPromptSubmit", "Stop", "SubagentStop")),
    "cursor": cursor,
    "factory": claude(
        {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}, ("UserPromptSubmit", "Stop", "SubagentStop")
    ),
    "cline": cline,
    "opencode": opencode,
    "antigravity": antigravity,
    "goose": goose,
    "kimi": kimi,
}


def kiro(event, stdout, status, stderr):
    if status:
        return "" if (event, status, stdout) == ("preToolUse", 2, "") and stderr.strip() else "a wrong refusal"
    if stderr or (stdout and event not in {"agentSpawn", "userPromptSubmit"}):
        return "text that no model reads"
    return ""


def windsurf(event, stdout, status, stderr):
    if status:
        return "" if event.startswith("pre_") and (status, stdout) == (2, "") and stderr.strip() else "a wrong refusal"
    return "text that no model reads" if stdout or stderr else ""


PLAIN = {"kiro": kiro, "windsurf": windsurf}
