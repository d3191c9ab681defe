"""The requests of an editor, one file for each kind."""
