"""The wire languages: frames to messages of Kafka, and such messages to frames."""
