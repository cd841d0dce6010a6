"""One segment: its batches, indexes and names."""
