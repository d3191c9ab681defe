"""Finding and reading files: programs in folders, and the modules that a file imports."""
