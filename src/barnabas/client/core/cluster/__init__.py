"""One connection and one cluster, as a client knows them. No I/O."""
