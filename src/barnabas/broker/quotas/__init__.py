"""How much clients may use: quotas, throttling, memory."""
