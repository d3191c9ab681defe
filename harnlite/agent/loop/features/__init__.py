"""The optional features of a loop: daemon mode, skills, tool search, MCP servers, transcripts."""
