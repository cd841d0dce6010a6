"""`barnabas pipeline`: projects of Spark's declarative pipelines."""
