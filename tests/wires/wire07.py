"""A client of Kafka 0.7 that sends what a test gives it, and no more."""

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
from tests.framed_socket import FramedSocket

Fetched = tuple[int, bytes]


class Wire07(FramedSocket):
    """One connection; frames go out as they are, and replies come without their size."""

    def send(self, request: Message | bytes) -> None:
        self._socket.sendall(
            request if isinstance(request, bytes) else encode_request(request).joined()
        )

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
