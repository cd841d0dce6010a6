"""The group coordinator's shard."""
