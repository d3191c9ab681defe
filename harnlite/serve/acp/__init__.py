"""The server of the Agent Client Protocol, which editors and other clients speak over standard input and output."""
