"""Snippets that editors and the interactive session insert, in editor notation."""

from __future__ import annotations

SNIPPETS = {
    "fn": "fn ${1:name}(${2:params}) {\n  $0\n}",
    "pipeline": "pipeline ${1:main}(${2:task}) {\n  $0\n}",
    "for": "for ${1:item} in ${2:items} {\n  $0\n}",
    "if": "if ${1:condition} {\n  $0\n}",
    "match": "match ${1:value} {\n  ${2:pattern} -> { $0 }\n}",
    "try": "try {\n  $0\n} catch (${1:e}) {\n}",
    "reminder": 'transcript.inject_reminder(${1:t}, {body: "${2:text}", ttl_turns: ${3:1}})',
    "agent_loop": 'agent_loop("${1:task}", nil, {max_iterations: ${2:10}})$0',
    "provider": (
        'register_reminder_provider({\n  id: "${1:id}",\n  subscribes_to: ["${2:PostToolUse}"],\n'
        '  evaluate: { ctx -> {body: "${3:text}", ttl_turns: 1} },\n})'
    ),
}
