"""The transaction coordinator's shard."""
