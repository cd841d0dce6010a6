"""Topics: their names, properties and logs, as recorded in the registry."""
