"""The agent runtime: sessions, hooks, tools and the agent loop."""
