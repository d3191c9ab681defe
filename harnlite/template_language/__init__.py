"""The template language: scanning and parsing. It neither reads files nor knows the values of the language."""
