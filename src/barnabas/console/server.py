"""Serve the console over HTTP until a signal ends it."""

import sys
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

_SWITCH_S: Final = 0.001
"""How long a page waits for the thread that decodes lists; Python's own is five times that."""


def serve_console(application: Starlette, listening: Any) -> None:
    """Serve on a listening socket; return after SIGINT or SIGTERM.

    Pages that still stream are ended a second after the signal.
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
    server = uvicorn.Server(config)
    try:
        server.run(sockets=[listening])
    except (SystemExit, KeyboardInterrupt):
        # uvicorn sends itself the signal again that ended it.
        if not server.should_exit:
            raise
