"""Classic groups: a member computes the assignment."""
