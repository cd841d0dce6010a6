"""Counters and gauges under Kafka's names."""
