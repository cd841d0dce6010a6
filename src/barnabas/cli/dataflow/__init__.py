"""Pipelines on Spark: `barnabas archive`, `replay`, `mirror`, `compare` and `stats`."""
