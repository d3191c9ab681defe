"""Reminder providers: evaluating them at an event, and what the canonical ones need from Python."""
