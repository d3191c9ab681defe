"""The files that are open in the editor: texts, positions, and the workspace that holds them."""
