"""Values that have a format of their own, decoded a column at a time."""
