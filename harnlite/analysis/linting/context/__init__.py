"""The data that lint rules use: the linted file, its configuration, and facts about its code."""
