"""Membership of groups, on the loop."""
