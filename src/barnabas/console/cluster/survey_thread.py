"""Queries about the whole cluster, on a thread of their own: responses can be megabytes.

Ten thousand topics take tens of milliseconds to decode; meanwhile pages are served.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from barnabas import Admin
from barnabas.console.settings import ConsoleSettings

_Answer = TypeVar("_Answer")


class SurveyThread:
    """One thread with an admin client, which is created by the first question."""

    def __init__(self, settings: ConsoleSettings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "console survey")
        self._admin: Admin | None = None

    async def ask(self, question: Callable[[Admin], _Answer]) -> _Answer:
        """The answer, after those to earlier questions; errors as of Admin."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._asked, question)

    def _asked(self, question: Callable[[Admin], _Answer]) -> _Answer:
        if self._admin is None:
            self._admin = Admin(self._settings.client_properties())
        return question(self._admin)

    async def close(self) -> None:
        """Close the connections, after the question that is being answered."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._end)
        self._thread.shutdown(wait=False)

    def _end(self) -> None:
        if self._admin is not None:
            self._admin.close()
