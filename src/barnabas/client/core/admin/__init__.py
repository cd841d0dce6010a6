"""What an admin client returns, as plain values."""
