"""Start and stop brokers: one over its ports, one on this machine, several in one process."""
