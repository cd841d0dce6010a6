"""Share groups (KIP-932): membership, sessions and acknowledgements. No I/O."""
