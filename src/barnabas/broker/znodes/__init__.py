"""Nodes of the registry: paths and JSON, as Kafka keeps them in ZooKeeper."""
