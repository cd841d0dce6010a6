"""This broker in ZooKeeper: registrations, and requests that old tools write there."""
