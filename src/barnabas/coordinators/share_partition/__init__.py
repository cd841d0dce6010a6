"""Share partitions (KIP-932): which records of a partition members of a share group have in hand."""
