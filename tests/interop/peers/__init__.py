"""Brokers, clients and tools that nobody here wrote: fetched by name, started, stopped."""
