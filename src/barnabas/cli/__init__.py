"""The command `barnabas`."""
