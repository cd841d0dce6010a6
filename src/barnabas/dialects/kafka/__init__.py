"""The dialect of Kafka 0.8 to 4.x."""
