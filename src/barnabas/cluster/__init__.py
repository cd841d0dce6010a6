"""The cluster as an immutable image, its changes, and its controller's decisions; pure."""
