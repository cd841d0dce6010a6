"""Recognise what answers at a wrong port by its first bytes. Decodes no more of it."""

from typing import Final

_TLS: Final = (b"\x15\x03", b"\x16\x03")
"""How records of TLS begin: an alert, or a handshake, and the major version (RFC 8446, 5.1)."""
_TEXTS: Final = {b"HTTP/": "HTTP", b"SSH-": "SSH"}
_SHOWN: Final = 40


def other_protocol(first: bytes | memoryview) -> str:
    """Return which other protocol the first bytes of a response show, as a clause; empty: it may be Kafka's.

    A response begins with its size in four bytes. Of a response to ApiVersions that takes two bytes,
    so that neither text nor TLS can begin like it.
    """
    data = bytes(first[:_SHOWN])
    if data.startswith(_TLS):
        return "it answers with TLS, which this client does not speak"
    for start, name in _TEXTS.items():
        if data.startswith(start):
            return f"it answers with {name}, {_quoted(data)}"
    # Less than four characters could be a size, too.
    if len(data) >= 4 and data[:4].isascii() and data[:4].decode().isprintable():
        return f"it answers with {_quoted(data)}"
    return ""


def _quoted(data: bytes) -> str:
    return repr(data.decode(errors="replace").splitlines()[0])
