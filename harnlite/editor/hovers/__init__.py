"""What there is to read about names and words."""
