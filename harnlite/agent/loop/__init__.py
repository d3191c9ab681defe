"""The agent loop: how it starts, how it runs its iterations, and how scripts drive it step by step."""
