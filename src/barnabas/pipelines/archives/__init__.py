"""Topics as Parquet, and back into topics."""
