"""Concurrency for scripts: channels, permits, parallel blocks, deadlines and shared state."""
