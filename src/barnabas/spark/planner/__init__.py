"""Which offsets a query reads, batch by batch."""
