"""PageServer: serves a WSGI application on few connections; a new one closes the oldest.

For pages that programs request. A client that sends nothing, or reads nothing, delays no other.
"""

import logging
import socket
import sys
import threading
from socketserver import ThreadingMixIn
from typing import Any, ClassVar
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

log = logging.getLogger(__name__)

_MOST_CONNECTIONS = 10
"""Each has a thread, and a page that may be of some MB."""
_SILENT_S = 30.0
"""How long a connection may send nothing, or read nothing."""


class _Request(WSGIRequestHandler):
    timeout: ClassVar[float | None] = _SILENT_S

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has there
        """Log nothing: scrapers send requests all the time."""


class PageServer(ThreadingMixIn, WSGIServer):
    """Serves the application of `set_app`, on a thread for each of the newest connections."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, port: int) -> None:
        """Raises OSError if the address cannot be had."""
        found = socket.getaddrinfo(host or "::", port, type=socket.SOCK_STREAM)
        self.address_family = found[0][0]
        self._open: dict[socket.socket, None] = {}
        self._changing = threading.Lock()
        super().__init__(found[0][4][:2], _Request)  # type: ignore[arg-type]  # a name is a str there

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, and end the oldest where there are too many."""
        with self._changing:
            if len(self._open) >= _MOST_CONNECTIONS:
                oldest = next(iter(self._open))
                del self._open[oldest]
                _end(oldest)
            self._open[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection that is served."""
        with self._changing:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log it: most clients that leave before they have their page were closed here, or gave up."""
        del request
        error = sys.exc_info()[1]
        details = {"client": client_address[0], "error": error}
        if isinstance(error, OSError):
            log.info("page not taken", extra=details)
        else:
            log.error("page not served", extra=details, exc_info=error)


def _end(connection: socket.socket) -> None:
    """Have the thread of a connection end."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError as error:
        log.debug("a connection had ended", extra={"error": error})
