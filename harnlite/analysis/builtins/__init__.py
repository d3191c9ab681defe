"""Static knowledge about builtins: declarations, methods, options and results."""
