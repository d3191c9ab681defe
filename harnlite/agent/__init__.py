"""What runs an agent: sessions, hooks, tools, the loop."""
