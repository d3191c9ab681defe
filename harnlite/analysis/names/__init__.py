"""Name resolution: the binding that each name of a file refers to."""
