"""The command hooks of coding agents: rules of scripts inside agents that harnlite does not run itself."""
