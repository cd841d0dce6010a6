"""How much clients may use: quotas and throttling."""
