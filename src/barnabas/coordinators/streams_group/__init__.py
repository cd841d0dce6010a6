"""Streams groups (KIP-1071): the broker shares out the tasks of a Kafka Streams application."""
