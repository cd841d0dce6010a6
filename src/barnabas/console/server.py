"""Serve the console over HTTP until a signal ends it."""

import asyncio
import logging
import sys
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

from barnabas.console.streams import EndedEarly

_SWITCH_S: Final = 0.001
"""How long a page waits for the thread that decodes lists; Python's own is five times that."""


class _Server(uvicorn.Server):
    """Ends pages that stream at once, and others after a second."""

    def __init__(self, config: uvicorn.Config, application: Starlette) -> None:
        super().__init__(config)
        self._application = application

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """End what is under way."""
        for at_once in self._application.state.endless:
            at_once.end()
        await super().shutdown(sockets)


def is_fault(record: logging.LogRecord) -> bool:
    """Whether a line of uvicorn's log reports a fault; an aborted response is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, EndedEarly | asyncio.CancelledError)


def serve_console(application: Starlette, listening: Any) -> None:
    """Serve on a listening socket; return after SIGINT or SIGTERM.

    Pages that stream are ended by the signal, others a second later.
    """
    sys.setswitchinterval(_SWITCH_S)
    config = uvicorn.Config(
        application,
        loop="asyncio",  # the driver's sockets need it
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=64 << 10,
        ws="none",
    )
    logging.getLogger("uvicorn.error").addFilter(is_fault)
    server = _Server(config, application)
    try:
        server.run(sockets=[listening])
    except (SystemExit, KeyboardInterrupt):
        # uvicorn sends itself the signal again that ended it.
        if not server.should_exit:
            raise
