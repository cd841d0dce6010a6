"""Share groups (KIP-932) for asyncio."""
