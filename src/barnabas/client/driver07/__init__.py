"""The driver of seed 000: Kafka 0.7 with ZooKeeper, for threads."""
