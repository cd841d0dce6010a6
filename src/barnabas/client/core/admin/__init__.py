"""Results of an admin client, as plain values."""
