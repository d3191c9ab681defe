"""Sources with positions, and the diagnostics about them."""
