"""Captured and relayed bytes: packets, streams, conversations."""
