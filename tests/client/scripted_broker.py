"""A broker over real sockets that knows one topic and misbehaves by script."""

import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersion, ApiVersionsResponse
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from barnabas.protocol.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from barnabas.protocol.headers import RequestHeader, encode_response, read_request_header
from barnabas.protocol.init_producer_id import InitProducerIdResponse
from barnabas.protocol.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from barnabas.protocol.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from barnabas.wire.send import FileSlice

TOPIC = "t"
TOPIC_ID = bytes(range(16))
UNKNOWN_TOPIC = 3
SPOKEN = (
    ApiKey.API_VERSIONS,
    ApiKey.METADATA,
    ApiKey.PRODUCE,
    ApiKey.FETCH,
    ApiKey.INIT_PRODUCER_ID,
    ApiKey.DELETE_TOPICS,
    ApiKey.LIST_OFFSETS,
)


@dataclass(slots=True)
class Call:
    """One request, its right answer (also as bytes), and the connection it came on."""

    connection: socket.socket
    header: RequestHeader
    message: Any
    right: Any
    answer: bytes

    def reply(self, response: object) -> None:
        """Answer this."""
        self.connection.sendall(encoded(self.header, response))


Misdeed = Callable[[Call], None]


def encoded(header: RequestHeader, response: object) -> bytes:
    """The answer to a request, with its size before it."""
    send = encode_response(
        ApiKey(header.api_key), header.api_version, header.correlation_id, response
    )
    return b"".join(part for part in send.parts if not isinstance(part, FileSlice))


def answer(call: Call) -> None:
    """No misdeed at all: the right answer."""
    call.connection.sendall(call.answer)


def drop(call: Call) -> None:
    """Read the request, then close."""
    call.connection.shutdown(socket.SHUT_RDWR)


def answer_half(call: Call) -> None:
    """Close in the middle of the answer."""
    call.connection.sendall(call.answer[: len(call.answer) // 2])
    drop(call)


def answer_garbage(call: Call) -> None:
    """A frame of the right size and correlation id, and nonsense in it."""
    call.connection.sendall(call.answer[:8] + b"\xff" * (len(call.answer) - 8))


def answer_another(call: Call) -> None:
    """Answer a request that was never made."""
    changed = struct.pack(">i", call.header.correlation_id + 1000)
    call.connection.sendall(call.answer[:4] + changed + call.answer[8:])


def answer_twice(call: Call) -> None:
    """Say the same again."""
    call.connection.sendall(call.answer * 2)


def answer_oversize(call: Call) -> None:
    """Announce a frame of two gigabytes."""
    call.connection.sendall(b"\x7f\xff\xff\xff" + call.answer[4:])


def answer_negative(call: Call) -> None:
    """Announce a frame of less than nothing."""
    call.connection.sendall(b"\xff\xff\xff\xff" + call.answer[4:])


def say_nothing(call: Call) -> None:
    """Never answer, and keep the connection."""


@dataclass(slots=True)
class ScriptedBroker:
    """`with` it. `misdeeds` are done in order, one for each request of their API; then all is well.

    `calls` are the requests in order, across connections. `batches` are the records of Produce, and
    a Fetch of offset n gives the batch n, as if each had one record.
    """

    misdeeds: dict[ApiKey, list[Misdeed]] = field(default_factory=dict)
    calls: list[tuple[ApiKey, Any]] = field(default_factory=list)
    batches: list[bytes] = field(default_factory=list)
    _listener: socket.socket = field(default_factory=socket.socket)
    _connections: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    @property
    def address(self) -> str:
        """host:port."""
        host, port = self._listener.getsockname()
        return f"{host}:{port}"

    def count(self, api: ApiKey) -> int:
        """How many requests of an API came."""
        return sum(key is api for key, _ in self.calls)

    def wait_until_left(self) -> None:
        """Return when the client has closed all its connections."""
        for thread in self._threads[1:]:
            thread.join()

    def __enter__(self) -> Self:
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self._begin(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listener.close()
        for connection in self._connections:
            with connection:
                _shut(connection)
        for thread in self._threads:
            thread.join()

    def _begin(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._begin(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection.makefile("rb") as stream:
                while len(prefix := stream.read(4)) == 4:
                    self._take(connection, memoryview(stream.read(int.from_bytes(prefix))))
        except OSError:
            return  # The client has left, or the test is over.

    def _take(self, connection: socket.socket, frame: memoryview) -> None:
        header, position = read_request_header(frame)
        api = ApiKey(header.api_key)
        codec: Codec[Any] = Codec.of(DECLARED[api].request, header.api_version)
        message, _ = codec.decode(frame, position)
        self.calls.append((api, message))
        right = self._right(api, message)
        call = Call(connection, header, message, right, encoded(header, right))
        waiting = self.misdeeds.get(api)
        if waiting:
            waiting.pop(0)(call)
        else:
            answer(call)

    def _right(self, api: ApiKey, message: Any) -> object:
        match api:
            case ApiKey.API_VERSIONS:
                return versions_of({each: DECLARED[each].versions for each in SPOKEN})
            case ApiKey.METADATA:
                return self._metadata()
            case ApiKey.INIT_PRODUCER_ID | ApiKey.LIST_OFFSETS:
                return _always(api)
            case ApiKey.PRODUCE:
                return self._produced(message)
            case ApiKey.FETCH:
                return self._fetched(message)
            case _:
                refused = [
                    DeletableTopicResult(name=each.name, error_code=UNKNOWN_TOPIC)
                    for each in message.topics
                ]
                return DeleteTopicsResponse(responses=refused)

    def _metadata(self) -> MetadataResponse:
        host, port = self._listener.getsockname()
        partition = MetadataResponsePartition(
            error_code=0, partition_index=0, leader_id=1, leader_epoch=0,
            replica_nodes=[1], isr_nodes=[1], offline_replicas=[],
        )  # fmt: skip
        return MetadataResponse(
            brokers=[MetadataResponseBroker(node_id=1, host=host, port=port)],
            controller_id=1,
            topics=[
                MetadataResponseTopic(
                    error_code=0, name=TOPIC, topic_id=TOPIC_ID, partitions=[partition]
                )
            ],
        )

    def _fetched(self, message: Any) -> FetchResponse:
        rows = []
        for topic in message.topics:
            for row in topic.partitions:
                here = row.fetch_offset < len(self.batches)
                records = bytearray(self.batches[row.fetch_offset] if here else b"")
                if records:
                    records[:8] = row.fetch_offset.to_bytes(8)
                    records[12:16] = bytes(4)  # the leader epoch 0
                rows.append(
                    PartitionData(
                        partition_index=row.partition, error_code=0,
                        high_watermark=len(self.batches), records=records,
                    )
                )  # fmt: skip
        return FetchResponse(
            responses=[FetchableTopicResponse(topic=TOPIC, topic_id=TOPIC_ID, partitions=rows)]
        )

    def _produced(self, message: Any) -> ProduceResponse:
        (topic,) = message.topic_data
        (row,) = topic.partition_data
        self.batches.append(bytes(row.records))
        partition = PartitionProduceResponse(index=0, error_code=0, base_offset=0)
        return ProduceResponse(
            responses=[
                TopicProduceResponse(
                    name=topic.name, topic_id=topic.topic_id, partition_responses=[partition]
                )
            ]
        )


def offsets_at(offset: int) -> ListOffsetsResponse:
    """This offset, whatever was asked for."""
    partition = ListOffsetsPartitionResponse(partition_index=0, error_code=0, offset=offset)
    return ListOffsetsResponse(
        topics=[ListOffsetsTopicResponse(name=TOPIC, partitions=[partition])]
    )


def _always(api: ApiKey) -> object:
    if api is ApiKey.LIST_OFFSETS:
        return offsets_at(0)
    return InitProducerIdResponse(error_code=0, producer_id=5, producer_epoch=0)


def versions_of(spoken: Mapping[ApiKey, VersionRange]) -> ApiVersionsResponse:
    """What a broker speaks."""
    rows = [
        ApiVersion(api_key=api, min_version=versions.first, max_version=versions.last)
        for api, versions in spoken.items()
    ]
    return ApiVersionsResponse(error_code=0, api_keys=rows)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # It is shut.
