"""WatchedExchange: a request with its response, both as bytes, and the fields of a request's header."""

from struct import Struct
from typing import Final, NamedTuple

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.types import Buffer

KEPT_BYTES: Final = 16 * 1024
"""Of a frame; a larger one is cut."""
SIZE_BYTES: Final = 4
HEAD_BYTES: Final = 256
"""The bytes kept of an unwatched request: its API, and a client id and software of usual length."""

_HEAD: Final = Struct(">hhih")
_KEYS: Final = frozenset(ApiKey)


class WatchedConnection(NamedTuple):
    """A connection as a list shows it. `api_key` is that of its last request; -1 if there was none."""

    number: int
    peer: str
    dialect: str = "kafka"
    client_id: str = ""
    software: str = ""
    api_key: int = -1
    api_version: int = -1


class WatchedExchange(NamedTuple):
    """`number` counts what is shown, from 1. Frames have their sizes before them, and may be cut.

    `took_ns` is from the whole request to the response; None: there is no response (yet).
    """

    number: int
    connection: WatchedConnection
    correlation_id: int
    began_ns: int
    request: bytes
    request_size: int
    took_ns: int | None = None
    response: bytes = b""
    response_size: int = 0

    @property
    def held_bytes(self) -> int:
        """The memory that the frames take."""
        return len(self.request) + len(self.response)


class RequestHead(NamedTuple):
    """The header of a request of Kafka 0.8 to 4.x."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str


def request_head(frame: Buffer) -> RequestHead | None:
    """Read the header of a request, without its size; None if it does not start like one."""
    if len(frame) < _HEAD.size:
        return None
    key, version, correlation_id, length = _HEAD.unpack_from(frame)
    # A SASL token without a header is none.
    if key not in _KEYS or version not in DECLARED[ApiKey(key)].versions:
        return None
    name = bytes(frame[_HEAD.size : _HEAD.size + max(0, length)])
    return RequestHead(key, version, correlation_id, name.decode("utf-8", "replace"))


def api_name(key: int) -> str:
    """The name of an API; empty if there is none."""
    return ApiKey(key).name.title().replace("_", "") if key in _KEYS else ""
