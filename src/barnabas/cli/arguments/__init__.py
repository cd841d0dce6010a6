"""Command-line arguments: names, properties, connections."""
