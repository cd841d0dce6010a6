"""RequestLog: the requests that a broker received, for a test to assert on."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from struct import Struct
from typing import Any, Final

from barnabas.errors import LocalProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import Buffer, Topic

_MOST_REQUESTS: Final = 10_000
_MOST_BYTES: Final = 16 << 20
_LARGE: Final = 1 << 20
"""Of a larger request, only the start is kept."""
_HEAD: Final = 1024
"""Bytes kept of a large request: its header and a little more."""
_SIZE = Struct(">i")
_TIMEOUT_S: Final = 10.0


class ReceivedRequest:
    """One request. Its message is decoded on first access.

    `time_ms`: when the broker received it, by the broker's clock. `connection`: the connection's number.
    """

    def __init__(
        self,
        frame: bytes,
        size: int,
        time_ms: int,
        connection: int,
        name_of_id: Callable[[bytes], str | None],
    ) -> None:
        self.time_ms = time_ms
        self.connection = connection
        self.size = size
        """The size of the frame in bytes, without the size field."""
        self._frame = frame
        self._name_of_id = name_of_id

    def __repr__(self) -> str:
        return (
            f"<{self.api} {self.version} of {self.client_id!r}, connection {self.connection}, "
            f"{self.size} bytes>"
        )

    @cached_property
    def _header(self) -> tuple[Any, int]:
        # Imported late, as all that only a test that asks needs: a broker starts faster without it.
        from barnabas.protocol.headers import read_request_header

        return read_request_header(self._frame)

    @property
    def key(self) -> ApiKey:
        """The key of the API."""
        key: ApiKey = self._header[0].api_key
        return key

    @property
    def api(self) -> str:
        """The name of the API as Kafka writes it, such as "OffsetCommit"."""
        return self.key.name.title().replace("_", "")

    @property
    def version(self) -> int:
        """The version of the API."""
        return int(self._header[0].api_version)

    @property
    def client_id(self) -> str | None:
        """The client id of the request's header."""
        client_id: str | None = self._header[0].client_id
        return client_id

    @property
    def correlation_id(self) -> int:
        """The number that the client gave it."""
        return int(self._header[0].correlation_id)

    @cached_property
    def message(self) -> Any:
        """The request as an object of `barnabas.protocol`, such as `ProduceRequest`.

        Raises:
            LocalProtocolError: it was larger than 1 MiB, and only its header was kept.
            DecodeError: it is no request that the broker understands.
        """
        if len(self._frame) < self.size:
            raise LocalProtocolError(
                f"{self!r} is larger than the {_LARGE} bytes up to which a request is kept"
            )
        from barnabas.protocol.declared import DECLARED
        from barnabas.wire.compiler import Codec

        codec: Codec[Any] = Codec.of(DECLARED[self.key].request, self.version)
        return codec.decode(self._frame, self._header[1])[0]

    @cached_property
    def topics(self) -> frozenset[str]:
        """The names of the topics that it is about."""
        from barnabas.testing.faults.names import topics_in

        return frozenset(topics_in(self.message, self._name_of_id))

    @cached_property
    def groups(self) -> frozenset[str]:
        """The ids of the groups that it is about."""
        from barnabas.testing.faults.names import groups_in

        return frozenset(groups_in(self.message))


class RequestLog:
    """The newest requests, oldest first: at most 10,000, and 16 MiB together.

    The broker adds requests while a test reads: each call sees those that were there when it started.
    """

    def __init__(self, time_ms: Callable[[], int]) -> None:
        self._time_ms = time_ms
        self._kept: deque[ReceivedRequest] = deque()
        self._bytes = 0
        self._waiting = 0
        self._came = threading.Condition()
        self.topic_by_id: Callable[[bytes], Topic | None] = lambda _id: None
        """Returns the topic for a topic id."""

    def __iter__(self) -> Iterator[ReceivedRequest]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> ReceivedRequest:
        return tuple(self._kept)[index]

    def of(
        self,
        *apis: str | ApiKey,
        topic: str | None = None,
        group: str | None = None,
        client_id: str | None = None,
    ) -> list[ReceivedRequest]:
        """Return requests of some APIs, such as "Produce" (none: of all), for a topic or group, of a client.

        Raises:
            InvalidArgument: there is no such API; the message lists near matches.
        """
        from barnabas.testing.faults.names import api_named

        keys = {api_named(api) for api in apis}
        return [
            one
            for one in self
            if (not keys or one.key in keys)
            and (client_id is None or one.client_id == client_id)
            and (topic is None or topic in one.topics)
            and (group is None or group in one.groups)
        ]

    def wait_for(
        self,
        *apis: str | ApiKey,
        count: int = 1,
        timeout_s: float = _TIMEOUT_S,
        topic: str | None = None,
        group: str | None = None,
        client_id: str | None = None,
    ) -> list[ReceivedRequest]:
        """Return the same as `of` as soon as there are `count` requests.

        Raises:
            AssertionError: there are fewer after `timeout_s` seconds; the message lists those received.
        """
        until = time.monotonic() + timeout_s
        with self._came:
            self._waiting += 1
            try:
                while True:
                    found = self.of(*apis, topic=topic, group=group, client_id=client_id)
                    left = until - time.monotonic()
                    if len(found) >= count:
                        return found
                    if left <= 0:
                        raise AssertionError(self._lacking(apis, count, len(found), timeout_s))
                    self._came.wait(left)
            finally:
                self._waiting -= 1

    def _lacking(
        self, apis: Iterable[str | ApiKey], count: int, found: int, timeout_s: float
    ) -> str:
        counts: dict[str, int] = {}
        for one in self:
            counts[one.api] = counts.get(one.api, 0) + 1
        came = ", ".join(f"{number} {api}" for api, number in counts.items()) or "nothing"
        wanted = " or ".join(map(str, apis)) or "requests"
        return f"{count} {wanted} expected within {timeout_s} s, {found} came; in all: {came}"

    def clear(self) -> None:
        """Forget all requests so far."""
        self._kept.clear()
        self._bytes = 0

    # --- Of the broker's thread ---------------------------------------------------------------

    def note(self, connection: int, frame: Buffer) -> None:
        """Add a request, given without its size field."""
        size = len(frame)
        kept = bytes(frame) if size <= _LARGE else bytes(frame[:_HEAD])
        self._kept.append(
            ReceivedRequest(kept, size, self._time_ms(), connection, self._name_of_id)
        )
        self._bytes += len(kept)
        while self._bytes > _MOST_BYTES or len(self._kept) > _MOST_REQUESTS:
            self._bytes -= len(self._kept.popleft()._frame)  # noqa: SLF001 - its own
        if self._waiting:
            with self._came:
                self._came.notify_all()

    def note_all(self, connection: int, frames: Buffer) -> None:
        """Add requests, each with its size field."""
        at, view = 0, memoryview(frames)
        while at < len(view):
            (size,) = _SIZE.unpack_from(view, at)
            at += _SIZE.size
            self.note(connection, view[at : at + size])
            at += size

    def forget_last(self) -> None:
        """Remove the last request: it was not handled, and will be received again."""
        if self._kept:
            self._bytes -= len(self._kept.pop()._frame)  # noqa: SLF001 - its own

    def _name_of_id(self, topic_id: bytes) -> str | None:
        topic = self.topic_by_id(topic_id)
        return None if topic is None else topic.name
