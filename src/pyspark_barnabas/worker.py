"""Spark's daemon forks only workers whose module's name starts with "pyspark"; this is ours."""

from barnabas.spark.workers.worker import main

__all__ = ["main"]
