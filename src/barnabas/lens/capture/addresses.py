"""Replace brokers' addresses in responses, so that clients connect to the proxy.

Of requests it reads only the API, version and correlation id.
"""

from collections.abc import Callable, Iterator
from struct import Struct
from typing import Any

from barnabas.errors import DecodeError
from barnabas.lens.capture.frames import SIZE, Frames
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import decode_response, encode_response

Address = tuple[str, int]
DoorOf = Callable[[str, int], Address]
"""Returns the address that replaces a broker's own."""

_START = Struct(">ihhi")
_LISTS = ("brokers", "node_endpoints", "coordinators")
_TELL = frozenset(
    {
        ApiKey.METADATA, ApiKey.FIND_COORDINATOR, ApiKey.DESCRIBE_CLUSTER, ApiKey.PRODUCE,
        ApiKey.FETCH, ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE,
    }
)  # fmt: skip
"""The APIs whose responses contain addresses in some version."""
_MOST_PENDING = 10_000


class AddressChanger:
    """Both directions of one connection in Kafka's protocol."""

    def __init__(self, door_of: DoorOf) -> None:
        self._door_of = door_of
        self._pending: dict[int, tuple[ApiKey, int]] = {}
        self._requests = Frames()
        self._responses = Frames()
        self._given_up = False

    def from_client(self, data: bytes) -> bytes:
        """Note the request; its bytes pass unchanged."""
        for _, frame in self._requests.feed(data):
            if len(frame) < _START.size:
                continue
            _, key, version, correlation_id = _START.unpack_from(frame)
            if key in _TELL:
                self._pending[correlation_id] = (ApiKey(key), version)
                if len(self._pending) > _MOST_PENDING:
                    del self._pending[next(iter(self._pending))]
        return data

    def from_broker(self, data: bytes) -> bytes:
        """Return the frames that are complete, rewritten.

        Without data, return everything held back.
        """
        if self._given_up:
            return data
        out = b"".join(self._changed(frame) for _, frame in self._responses.feed(data))
        if not data or self._responses.lost:
            # The stream cannot be split into frames any more: pass it on unchanged.
            self._given_up = True
            out += self._responses.held
        return out

    def _changed(self, frame: bytes) -> bytes:
        if len(frame) < SIZE + 4:
            return frame
        correlation_id = int.from_bytes(frame[SIZE : SIZE + 4], "big", signed=True)
        asked = self._pending.pop(correlation_id, None)
        if asked is None or asked[1] not in DECLARED[asked[0]].versions:
            return frame
        try:
            _, message = decode_response(*asked, memoryview(frame)[SIZE:])
        except DecodeError:
            return frame
        changed = [self._change(place) for place in _places(message)]
        if not any(changed):
            return frame
        return encode_response(*asked, correlation_id, message).joined()

    def _change(self, place: Any) -> bool:
        """Replace the address, if there is a replacement."""
        if not place.host or place.port <= 0:
            return False
        place.host, place.port = self._door_of(place.host, place.port)
        return True


def _places(message: Any) -> Iterator[Any]:
    """The message itself or its parts that have a host and a port."""
    if hasattr(message, "host"):
        yield message
    for name in _LISTS:
        yield from getattr(message, name, None) or ()
