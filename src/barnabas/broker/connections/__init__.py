"""Connections of clients: frames to requests, outcomes to responses."""
