"""What starts and stops brokers: one over its ports, one on this machine, several in one process."""
