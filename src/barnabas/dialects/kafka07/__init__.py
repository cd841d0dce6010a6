"""The wire of Kafka 0.6 and 0.7: requests, replies, and the broker's side of both."""
