"""Information about a file that is being edited, for editors and the interactive session."""
