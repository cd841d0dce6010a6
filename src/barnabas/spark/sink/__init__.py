"""From Arrow batches to records, at least or exactly once."""
