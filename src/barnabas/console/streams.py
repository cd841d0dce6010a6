"""Server-sent events: what moves on a page."""

from typing import Final

STREAM_HEADERS: Final = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
"""The second one is for a proxy that would collect events."""
