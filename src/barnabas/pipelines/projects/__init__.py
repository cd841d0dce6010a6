"""Projects of Spark's declarative pipelines: made from a template, run, shown and checked."""
