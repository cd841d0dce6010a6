"""Fetches and positions of a consumer, on the loop."""
