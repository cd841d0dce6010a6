"""Properties of brokers, topics, groups and clients: where each value comes from."""
