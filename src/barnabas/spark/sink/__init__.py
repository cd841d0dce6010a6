"""Writing: Arrow batches become records, at least once or exactly once."""
