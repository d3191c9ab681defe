"""What is known about builtins: declarations, methods, options and results."""
