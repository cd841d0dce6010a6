"""Shards: what a coordinator keeps in the partitions of an internal topic."""
