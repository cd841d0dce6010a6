"""The progress of share groups, stored in __share_group_state (KIP-932)."""
