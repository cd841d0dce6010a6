"""Messages of magic 0 and 1, and of Kafka 0.7."""
