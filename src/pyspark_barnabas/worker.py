"""Spark's daemon forks only workers whose module's name starts with "pyspark"; this is ours."""

from barnabas.spark.worker import main

__all__ = ["main"]
