"""The runtime that compiled code calls: calls, properties, methods, tasks, concurrency and module loading."""
