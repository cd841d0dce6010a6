"""The consumer on asyncio."""
