"""Records as columns: scanned, gathered, distributed over partitions."""
