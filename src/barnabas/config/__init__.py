"""Kafka's properties as rows: names, types, defaults, texts. No behaviour."""
