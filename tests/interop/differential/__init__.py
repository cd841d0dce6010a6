"""Scripts of requests for two brokers, and what may differ between their answers."""
