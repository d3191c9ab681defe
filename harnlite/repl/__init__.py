"""The interactive session: a prompt, commands that begin with a colon, and one run behind them."""
