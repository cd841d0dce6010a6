"""Share partitions (KIP-932): which members of a share group hold which records of a partition."""
