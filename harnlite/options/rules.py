"""The options of the starter rules in `std/rules`."""

PLACES = """
= register_after_compact 0
files: list<string>; The names of files to look for in the working folder; the first that exists counts.
text: string; The text that is said instead of that of a file.
max_chars: int = 6000; The maximum length of the text, in characters.

= register_context 0
at: list; The thresholds, in percent of the context window (70, 85 and 95).
note: string; A sentence that is added.

= register_every_n_turns 0
every: int = 10; The number of turns between two reminders.
text: string; The text that is said.

= register_file_changed 0
max_files: int = 200; The maximum number of files that are watched in a session.

= register_read_before_edit 0
deny: bool = false; Refuse such an edit instead of mentioning it.

= register_secrets 0
allow: list<string>; Texts in the form of a secret that may be written.

= register_stale_plan 0
turns: int = 3; The number of turns after which the plan is mentioned.
calls: int = 25; The number of tool calls after which the plan is mentioned.

= register_tests_fail 0
ttl_turns: int = 3; The number of turns for which a failure is mentioned.
keep_working: bool = false; Send the agent back to work when it stops while tests fail.

= register_truncated_output 0
notes: dict; A sentence for each kind of tool: `read`, `shell`, `search`, `fetch`, `other`.
"""
