"""The messages of Kafka 0.8 to 4.x, one file per API."""
