"""What commands take: names, properties, connections."""
