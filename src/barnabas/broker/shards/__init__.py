"""Shards: a coordinator's state in the partitions of an internal topic."""
