"""The JSON of each coding agent: what it writes to a hook, and what it accepts as the answer."""
