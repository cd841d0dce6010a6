"""Registry nodes: paths and JSON, as in Kafka's ZooKeeper."""
