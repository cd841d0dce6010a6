"""The admin client on asyncio."""
