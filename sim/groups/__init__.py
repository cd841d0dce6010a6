"""Simulated members of groups of every kind."""
