"""What a system reminder is: plain data and pure functions, no input or output."""
