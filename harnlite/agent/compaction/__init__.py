"""Compaction: the replacement of older messages with a summary."""
