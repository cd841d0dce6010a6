"""Long replies: responses of which arrays were written while they grew (see `wire.growing`)."""

from functools import cache
from typing import Any, NamedTuple

from barnabas.errors import LocalProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import framed_response
from barnabas.wire.charges import MOST_REPLY_BYTES
from barnabas.wire.growing import GrowingArray, StructWriter
from barnabas.wire.send import Send


class ReplyWriter(NamedTuple):
    """Writes the responses of one API in one version, and what grows of them."""

    api_key: int
    version: int

    def put(self, grown: GrowingArray[Any]) -> int:
        """Write the elements that wait; the bytes that were made."""
        element: Any = type(grown.items[0])
        return _array_writer(self.api_key, self.version, element).put(grown)


class LongReply(NamedTuple):
    """A response with arrays of which there are bytes already."""

    writer: ReplyWriter
    message: Any

    def framed(self, correlation_id: int) -> Send:
        """The whole frame with its size.

        Raises:
            LocalProtocolError: it has more bytes than a reply may have.
        """
        key, version = self.writer
        send = Send()
        for part in _response_writer(key, version).write(self.message):
            send.add(part)
        if len(send) > MOST_REPLY_BYTES:
            raise too_long(key, version)
        return framed_response(ApiKey(key), version, correlation_id, send)


def too_long(api_key: int, version: int) -> LocalProtocolError:
    """What to raise for a reply that is longer than one may be: its connection closes."""
    name = f"{ApiKey(api_key).name} {version}"
    return LocalProtocolError(f"{name}: the response would have more than {MOST_REPLY_BYTES} bytes")


def _response_writer(api_key: int, version: int) -> StructWriter:
    return StructWriter.of(DECLARED[ApiKey(api_key)].response, version)


@cache
def _array_writer(api_key: int, version: int, element: type) -> StructWriter:
    return _response_writer(api_key, version).inside(element)
