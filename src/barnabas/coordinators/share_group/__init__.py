"""Share groups (KIP-932): members share partitions, and each record goes to one of them."""
