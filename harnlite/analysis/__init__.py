"""A tree is understood: what names mean, and what is wrong before anything runs."""
