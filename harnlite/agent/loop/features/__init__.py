"""Parts of a loop that only some loops use: daemon mode, skills, tool search, MCP servers, transcripts."""
