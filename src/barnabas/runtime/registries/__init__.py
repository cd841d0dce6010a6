"""Registries: in local files, and in ZooKeeper."""
