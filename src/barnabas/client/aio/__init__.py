"""The driver for asyncio."""
