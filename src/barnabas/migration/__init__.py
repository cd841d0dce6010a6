"""Copy topics of Kafka 0.7 to current topics, with the positions of their groups."""
