"""The end of a loop: its conditions, judges and limits, and the result that the loop returns."""
