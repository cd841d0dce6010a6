"""From ranges of offsets to Arrow batches."""
