"""Copying topics of Kafka 0.7 into topics of today, with the positions of their groups."""
