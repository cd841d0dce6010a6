"""`barnabas brokers`, `partitions`, `elect` and `reassign`."""
