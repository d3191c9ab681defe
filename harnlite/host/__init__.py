"""Where the parts are put together: an engine, a run of it, and what is said when a run fails."""
