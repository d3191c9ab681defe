"""Calls to models: requests, replies, routes, budgets and backends."""
