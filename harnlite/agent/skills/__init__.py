"""Skills: instructions that a model loads when it needs them."""
