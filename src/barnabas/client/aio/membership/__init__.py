"""Group membership, on the loop."""
