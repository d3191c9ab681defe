"""The kinds of code actions that are not in the protocol."""

FIX_ALL = "source.fixAll.harnlite"
