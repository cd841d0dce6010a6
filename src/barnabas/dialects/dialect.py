"""What every wire language does for a broker: frames to requests, outcomes to bytes."""

from typing import NamedTuple, Protocol

from barnabas.wire.send import Send


class Request(NamedTuple):
    """One request: who and which version, and a neutral command or a message of its dialect."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    body: object


class Dialect(Protocol):
    """A wire language, the broker's side. Stateless; one instance per listener."""

    name: str

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; buffers in the request are views of it.

        Raises:
            DecodeError: it is not a request that this side serves.
        """
        ...

    def write_response(self, request: Request, outcome: object) -> Send | None:
        """The reply to a request, with its size in front; None where none is sent."""
        ...
