"""Brokers, clients and tools of other projects: fetched by name, started, stopped."""
