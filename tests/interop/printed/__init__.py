"""Scenes for two brokers, and what Kafka's own tools print about them."""
