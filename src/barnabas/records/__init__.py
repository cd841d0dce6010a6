"""Record sets of every format: as bytes, as columns, as objects."""
