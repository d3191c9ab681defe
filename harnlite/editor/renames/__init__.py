"""What a new name would do to the files, and why it may not be."""
