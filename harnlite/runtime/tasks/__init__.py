"""A run and its tasks: the scheduler, timers, threads and the event loop."""
