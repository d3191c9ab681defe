"""What lint rules work with: the linted file, its configuration, and facts about its code."""
