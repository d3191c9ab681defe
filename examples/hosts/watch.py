"""A host watches what the model is told and what happens to each reminder."""

import asyncio

import harnlite

SCRIPT = """pipeline main(task) {
  llm_mock({text: "Ready."})
  return agent_loop(task, nil, {provider: "mock", model: "gpt-4o"}).text
}
"""


async def main() -> None:
    with harnlite.Host(script=SCRIPT) as host:
        session = host.open()
        host.remind(session, {"body": "Answer in one word.", "ttl_turns": 1})
        with host.subscribe(session) as events:
            turn = host.prompt(session, "How are you?")
            async for event in events:
                if event["type"] == "reminder_emitted":
                    print("shown as", event["rendered_role"] + ":", event["body"])
                if event["type"] == "iteration_end":
                    break
            print("answer:", await turn)
        records = host.subscribe(topic="transcript.reminder.lifecycle", kind_prefix="transcript.reminder.", after=0)
        for record in records:
            if not record["kind"].endswith("provider_evaluated"):
                print(record["kind"])
            if record["kind"].endswith("expired"):
                break


asyncio.run(main())
