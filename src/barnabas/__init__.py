"""Kafka for Python, end to end: broker, driver and Spark pipeline for every generation."""
