"""Topics: their names, properties and logs, as the registry has them."""
