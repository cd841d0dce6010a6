"""A client of Kafka 0.7 that says what a test tells it, and no more."""

import socket
from types import TracebackType
from typing import Self

from barnabas.dialects.kafka07.frames import (
    Message,
    decode_fetch_reply,
    decode_multi_fetch_reply,
    decode_offsets_reply,
    encode_request,
)
from barnabas.dialects.kafka07.messages import (
    FetchRequest,
    MultiFetchRequest,
    OffsetsRequest,
    ProduceRequest,
)

Fetched = tuple[int, bytes]


class Wire07:
    """One connection; frames go out as they are, and replies come without their size."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def send(self, said: Message | bytes) -> None:
        self._socket.sendall(said if isinstance(said, bytes) else encode_request(said).joined())

    def reply(self) -> memoryview:
        size = int.from_bytes(self._read(4), "big")
        return memoryview(self._read(size))

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            assert part, f"closed after {len(found)} of {size} bytes"
            found += part
        return found

    def is_closed(self) -> bool:
        """Whether the other side closes, without another word."""
        try:
            return not self._socket.recv(1)
        except ConnectionResetError:
            return True

    def produce(self, topic: str, partition: int, messages: bytes) -> None:
        self.send(ProduceRequest(topic=topic, partition=partition, messages=messages))

    def fetch(
        self, topic: str, partition: int = 0, offset: int = 0, size: int = 1 << 20
    ) -> Fetched:
        self.send(FetchRequest(topic=topic, partition=partition, offset=offset, max_size=size))
        got = decode_fetch_reply(self.reply())
        return got.error, bytes(got.messages)

    def fetch_several(self, *wanted: tuple[str, int, int, int]) -> list[Fetched]:
        fetches = [
            FetchRequest(topic=topic, partition=partition, offset=offset, max_size=size)
            for topic, partition, offset, size in wanted
        ]
        self.send(MultiFetchRequest(fetches=fetches))
        return [(one.error, bytes(one.messages)) for one in decode_multi_fetch_reply(self.reply())]

    def offsets(self, topic: str, partition: int, time: int, most: int) -> list[int]:
        self.send(OffsetsRequest(topic=topic, partition=partition, time=time, max_number=most))
        return decode_offsets_reply(self.reply())[1]
