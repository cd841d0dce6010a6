"""Event-sourced shards: groups and their offsets."""
