"""Membership of a group as a machine, and the assignors that share partitions out. No I/O."""
