"""The compiler from the syntax tree to Python's `ast` and a code object, and the cache of compiled code."""
