"""Groups of consumers and streams applications: members, offsets, properties."""
