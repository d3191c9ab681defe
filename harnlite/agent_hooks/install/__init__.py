"""Writing the rules of a script into the configuration of a coding agent, and removing them."""
