"""The backends that call the models of vendors over HTTP."""
