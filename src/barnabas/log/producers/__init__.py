"""The producers of a partition that number their batches."""
