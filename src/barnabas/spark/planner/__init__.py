"""Planning: the offsets that a query reads, batch by batch."""
