"""Find and read files: programs in folders, and the modules that a file imports."""
