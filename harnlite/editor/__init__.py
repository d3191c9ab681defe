"""The language server: what an editor asks about programs, answered without running them.

`documents` and `workspace` hold what is known of the files, `server` speaks to the editor, `diagnosing` reports what is
wrong while somebody types. Every other file answers one kind of question.
"""
