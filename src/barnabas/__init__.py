"""Kafka for Python, end to end: broker, driver and Spark pipeline for every generation."""

__version__ = "0.1.0"
