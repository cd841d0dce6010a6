"""The cluster as one immutable image, what changes it, and what its controller decides; pure."""
