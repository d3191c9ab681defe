"""What is written down: the event log, facts, memory."""
