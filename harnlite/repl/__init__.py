"""The interactive session: a prompt, commands that start with a colon, and one run that executes the inputs."""
