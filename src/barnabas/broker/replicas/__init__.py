"""Partitions of this broker: their logs, what is appended to them and read from them."""
