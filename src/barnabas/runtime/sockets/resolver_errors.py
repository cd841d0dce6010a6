"""Describe why a host name could not be resolved."""

import socket
from typing import Final

_UNKNOWN: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


def why_unresolved(host: str, error: socket.gaierror) -> str:
    """Tell whether the name is unknown or could not be looked up, with the system's text."""
    if error.errno in _UNKNOWN:
        return f"the name {host!r} is unknown: {error.strerror}"
    return f"the name {host!r} is unknown here, as it could not be looked up: {error.strerror}"
