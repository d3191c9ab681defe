"""What a running loop knows: its options, its limits, its session, and the current turn."""
