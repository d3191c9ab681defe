"""The files of the editor: texts, positions, and the workspace that holds them."""
