"""The brokers of a cluster as one client reaches them."""
