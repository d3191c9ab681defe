"""Which binding a name refers to."""
