"""The state of a running loop: its options, its limits, its session, and the current turn."""
