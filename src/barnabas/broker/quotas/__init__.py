"""Client quotas and throttling."""
