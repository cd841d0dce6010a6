"""The driver of seed 001, the proposal after Kafka 0.7, for threads."""
