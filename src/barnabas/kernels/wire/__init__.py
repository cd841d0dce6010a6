"""The protocol's messages and the records of committed offsets."""
