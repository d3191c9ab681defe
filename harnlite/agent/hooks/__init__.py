"""Callbacks that scripts register for events, and what happens when an event fires."""
