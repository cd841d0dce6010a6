"""`barnabas archive`, `replay` and `compare`: pipelines on Spark."""
