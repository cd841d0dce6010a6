"""Requests that are not answered at once: they wait or are worked on in steps; what that takes of memory."""
