"""Reading: ranges of offsets become Arrow batches."""
