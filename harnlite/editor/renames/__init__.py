"""Renames: their edits, and the checks that refuse an unsafe rename."""
