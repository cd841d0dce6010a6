"""Requests that are answered later: they wait, or run in steps; and their memory."""
