"""A host lists the pending reminders and revokes one before the agent has seen it."""

import harnlite

SCRIPT = 'pipeline main(task) { return agent_loop(task, nil, {provider: "mock", model: "mock"}).status }\n'

with harnlite.Host(script=SCRIPT) as host:
    session = host.open()
    first = host.remind(session, {"body": "The build is red."})
    second = host.remind(session, {"body": "It is Friday.", "mode": "audit_only"})

    print([(row["position"], row["body"]) for row in host.pending(session)["injections"]])
    print(host.revoke(session, first)["status"], host.revoke(session, first)["status"])
    print(host.prompt(session, "go").result(timeout=10))
    for reminder in (second, "no such id"):
        try:
            host.revoke(session, reminder)
        except harnlite.HostError as error:
            print(error.reason)

    try:
        host.remind(session, {"content": "Please hurry."})
    except harnlite.ReminderError as error:
        print(error.code, error.message, error.field)
    try:
        host.remind(session, {"body": "Please hurry.", "prio": 1})
    except harnlite.ReminderError as error:
        print(error.code, error.message, error.field)
