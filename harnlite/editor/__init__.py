"""The language server: it answers an editor's questions about programs without running them.

`texts.documents` and `texts.workspace` hold the files, `server` talks to the editor, and `diagnosing` reports
findings while the user types. The other modules each answer one kind of request.
"""
