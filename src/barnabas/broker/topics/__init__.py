"""Topics: names, properties and logs, as in the registry."""
