"""What Kafka 0.7's requests mean to this broker, one file each; the proposal's mean the same."""
