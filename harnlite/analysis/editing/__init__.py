"""What editors and the interactive session ask about a file that is being edited."""
