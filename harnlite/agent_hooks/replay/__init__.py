"""Replay of recorded sessions of coding agents: what rules would have told the model, and when."""
