"""Compaction: the replacement of older messages by a summary."""
