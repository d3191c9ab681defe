"""The agent loop: starting it, driving it, and its iterations."""
