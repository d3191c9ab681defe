"""What talks to a model: requests, replies, routes, budgets, and the backends."""
