"""Hooks: callbacks that scripts register for events, and the code that fires them."""
