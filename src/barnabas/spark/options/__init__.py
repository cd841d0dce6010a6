"""What a user may say of a read or a write, checked."""
