"""What scripts use to work concurrently: channels, permits, parallel blocks, deadlines, shared state."""
