"""Partitions of this broker: their logs, appends and reads."""
