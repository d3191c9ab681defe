"""What names stand for, and where else they stand."""
