"""Wake: a callback that completes a future, to wait for a change."""

import asyncio


class Wake:
    """Completes its future when it is called; again: does nothing."""

    __slots__ = ("_future",)

    def __init__(self, future: "asyncio.Future[None]") -> None:
        self._future = future

    def __call__(self) -> None:
        """Complete the future."""
        if not self._future.done():
            self._future.set_result(None)
