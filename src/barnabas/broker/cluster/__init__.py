"""This broker among others: what its controller tells it, its copies of other brokers' partitions, its ISRs."""
