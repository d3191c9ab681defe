"""A tree becomes Python code: nodes to `ast` to a code object, and the cache of both."""
