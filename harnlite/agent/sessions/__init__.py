"""Conversations: what a session holds, what enters it, and what it reports while it runs."""
