"""The wire that seed 001 proposed after Kafka 0.7, and that no release ever spoke."""
