"""What every wire language does for a broker: frames to requests, outcomes to bytes."""

from dataclasses import dataclass
from typing import Protocol

from barnabas.errors import DecodeError, KafkaError
from barnabas.wire.send import Send

UNCOUNTED = -1.0


@dataclass(slots=True)
class Request:
    """One request: who and which version, and a message of Kafka, whatever its dialect.

    `received_s`: when it came, by the broker's monotonic clock, where its time is measured; else 0.0, or
    UNCOUNTED where its response is written only to see it, and counted nowhere.
    """

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body: object
    received_s: float = 0.0


def too_large(name: str, size: int) -> DecodeError:
    """What to raise for a request without records that is larger than one may be."""
    expected = f"no more than socket.request.max.memory.bytes without records, not {size}"
    return DecodeError(f"{name}: frame", 0, expected)


class ErrorWithoutResponse(KafkaError):
    """A request failed that gets no reply: that its connection closes is all a client can notice."""


class RequestIgnored(KafkaError):
    """A request that is not answered, while its connection goes on."""


class Dialect(Protocol):
    """A wire language, the broker's side. One instance for each connection.

    `at_once`: how many requests of a connection may wait for their replies at the same time. Where
    that is more than one, replies name their requests and need not keep their order.
    """

    name: str
    at_once: int

    def has_records(self, frame: memoryview) -> bool:
        """Whether a request that begins like this brings records."""
        ...

    def check_large(self, head: memoryview, size: int) -> None:
        """Whether a request that begins like this may be larger than what one may take of memory.

        Only one with records may, as they are left where they are.

        Raises:
            DecodeError: it may not.
        """
        ...

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; buffers in the request are views of it.

        Raises:
            DecodeError: it is not a request that this side serves.
            RequestIgnored: the same, and its client is left to wait.
        """
        ...

    def write_response(
        self, request: Request, response: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The reply to a request, with its size in front; None where none is sent.

        `throttle_ms`: for how long the client is to be silent, where the reply has a place for it.

        Raises:
            ErrorWithoutResponse: there is something to tell, and no reply to tell it in.
        """
        ...
