"""What share groups have read, as it is kept in __share_group_state (KIP-932)."""
