"""This broker in ZooKeeper: registrations, and requests of old tools."""
