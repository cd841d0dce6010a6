"""The protocols that can be explained."""
