"""Skills: instructions that a model can load on demand."""
