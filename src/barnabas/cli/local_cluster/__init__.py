"""`barnabas serve --brokers 3`: clusters on this machine, in one process or with a process for each broker."""
