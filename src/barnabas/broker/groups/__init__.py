"""Groups of consumers and of streams applications: members, offsets, properties."""
