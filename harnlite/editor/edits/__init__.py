"""Changes of texts that answers are made of."""
