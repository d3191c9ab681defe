"""The lexer, the parser, the syntax tree and the formatter."""
