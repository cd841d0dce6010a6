"""What a broker of one release answers to a script of requests, as lines to read and to compare.

`python -m tests.vectors.generations RELEASE HOST:PORT` prints them. The brokers of the files were
started with message.max.bytes=1000 and without retention, and had no topics.
"""

import socket
import sys
from collections.abc import Iterator

from barnabas.config.releases import release_line
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.protocol.releases import apis_of
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.message_rows import entries
from barnabas.versions import VersionRange
from tests.message_sets import message, wrapper

MOST_BYTES = 100_000
TIME = 1_700_000_000_000
TOPIC = "t"
SILENCE_SECONDS = 20.0
_KEYS = {api.request: key for key, api in APIS.items()}
Step = tuple[str, object, int]


def conversation(release: str, address: str) -> Iterator[str]:
    """The name of each step, and what came of it."""
    _make_topic(address)
    for name, request, version in _script(release_line(release)):
        yield f"{name}: {_ask(address, request, version)}"


def _script(line: str) -> Iterator[Step]:
    has = apis_of(line)
    yield from _produce(has[ApiKey.PRODUCE].last)
    yield from _fetch(has[ApiKey.FETCH].last)
    yield from _list_offsets(has[ApiKey.LIST_OFFSETS].last)
    yield from _metadata(has[ApiKey.METADATA].last)
    if ApiKey.OFFSET_FOR_LEADER_EPOCH in has:
        yield from _epochs(has[ApiKey.OFFSET_FOR_LEADER_EPOCH])


def _records(magic: int, *, codec: Codec = Codec.NONE) -> bytes:
    if magic == 2:
        builder = BatchBuilder(codec, 1 << 20)
        for at in range(2):
            builder.append(TIME + at, b"k", b"v2%d" % at, ())
        return bytes(builder.build())
    inner = [
        message(at, b"k", b"v%d%d" % (magic, at), timestamp=TIME + at if magic else None)
        for at in range(2)
    ]
    if codec == Codec.NONE:
        return b"".join(inner)
    return wrapper(1, inner, codec, timestamp=TIME + 1 if magic else None)


def _produced(
    records: bytes, *, acks: int = 1, topic: str = TOPIC, partition: int = 0
) -> ProduceRequest:
    part = PartitionProduceData(index=partition, records=records)
    data = [TopicProduceData(name=topic, partition_data=[part])]
    return ProduceRequest(acks=acks, timeout_ms=100, topic_data=data)


def _produce(last: int) -> Iterator[Step]:
    magic_of = {0: (0,), 1: (0,), 2: (0, 1)}
    for version in range(min(last, 8) + 1):
        for magic in magic_of.get(version, (2,)):
            name = f"produce {version}, magic {magic}"
            yield name, _produced(_records(magic)), version
            gzip = _records(magic, codec=Codec.GZIP)
            yield f"{name}, gzip", _produced(gzip), version
    own = min(last, 2)
    good = _records(0)
    for acks in (-1, 2, -2):
        yield f"produce {own}, acks {acks}", _produced(good, acks=acks), own
    wrong = bytearray(good)
    wrong[-1] ^= 1
    yield f"produce {own}, wrong CRC", _produced(bytes(wrong)), own
    large = message(0, b"k", bytes(2000))
    yield f"produce {own}, too large", _produced(large), own
    yield f"produce {own}, nothing", _produced(b""), own
    yield f"produce {own}, cut off", _produced(good[:-1]), own
    yield f"produce {own}, no such partition", _produced(good, partition=9), own
    yield f"produce {own}, magic 2", _produced(_records(2)), own
    if last >= 2:
        yield "produce 0, magic 1", _produced(_records(1)), 0
    if last >= 3:
        yield "produce 3, magic 1", _produced(_records(1)), 3
        yield "produce 3, two batches", _produced(2 * _records(2)), 3
        broken = bytearray(_records(2))
        broken[-1] ^= 1
        yield "produce 3, wrong CRC", _produced(bytes(broken)), 3


def _fetched(offset: int, *, topic: str = TOPIC, partition: int = 0) -> FetchRequest:
    part = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=MOST_BYTES)
    topics = [FetchTopic(topic=topic, partitions=[part])]
    return FetchRequest(max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, topics=topics)


def _fetch(last: int) -> Iterator[Step]:
    for version in range(min(last, 11) + 1):
        yield f"fetch {version}", _fetched(0), version
        yield f"fetch {version} from 3", _fetched(3), version
        yield f"fetch {version}, out of range", _fetched(1000), version
    for version in {0, min(last, 3), min(last, 4)}:
        yield f"fetch {version}, no such topic", _fetched(0, topic="nope"), version
        yield f"fetch {version}, no such partition", _fetched(0, partition=9), version


def _looked_up(timestamp: int, most: int = 1, topic: str = TOPIC) -> ListOffsetsRequest:
    part = ListOffsetsPartition(partition_index=0, timestamp=timestamp, max_num_offsets=most)
    topics = [ListOffsetsTopic(name=topic, partitions=[part])]
    return ListOffsetsRequest(replica_id=-1, topics=topics)


def _list_offsets(last: int) -> Iterator[Step]:
    for version in range(min(last, 7) + 1):
        for timestamp in (-1, -2, TIME, TIME + 1, TIME * 2):
            yield f"list offsets {version} of {timestamp}", _looked_up(timestamp), version
    yield "list offsets 0 of -1, up to 10", _looked_up(-1, 10), 0
    yield "list offsets 0 of nothing", _looked_up(-1, topic="nope"), 0
    if last:
        yield "list offsets 1 of nothing", _looked_up(-1, topic="nope"), 1


def _metadata(last: int) -> Iterator[Step]:
    for version in range(min(last, 8) + 1):
        for name in (TOPIC, "not a name"):
            topics = [MetadataRequestTopic(name=name)]
            yield f"metadata {version} of {name}", MetadataRequest(topics=topics), version


def _epochs(versions: VersionRange) -> Iterator[Step]:
    for version in range(versions.first, versions.last + 1):
        for epoch in (-1, 0, 1):
            yield f"end of epoch {epoch} in {version}", _end_of(epoch), version
        if version > 1:
            yield f"end for a newer leader in {version}", _end_of(0, leader=4), version
        yield f"end of nothing in {version}", _end_of(0, partition=9), version


def _end_of(epoch: int, *, leader: int = -1, partition: int = 0) -> OffsetForLeaderEpochRequest:
    part = OffsetForLeaderPartition(
        partition=partition, current_leader_epoch=leader, leader_epoch=epoch
    )
    topics = [OffsetForLeaderTopic(topic=TOPIC, partitions=[part])]
    return OffsetForLeaderEpochRequest(replica_id=-1, topics=topics)


def _make_topic(address: str) -> None:
    """Have the topic made on first use, and come back when it has a leader."""
    request = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
    while "leader" not in _ask(address, request, 0):
        pass


def _ask(address: str, request: object, version: int) -> str:
    """The answer in words."""
    key = _KEYS[type(request)]
    host, port = address.split(":")
    frame = encode_request(RequestHeader(key, version, 7, "script"), request).joined()
    with socket.create_connection((host, int(port)), SILENCE_SECONDS) as connection:
        connection.sendall(frame)
        stream = connection.makefile("rb")
        try:
            size = stream.read(4)
            data = stream.read(int.from_bytes(size)) if len(size) == 4 else None
        except ConnectionResetError:
            data = None
        except TimeoutError:
            return "no answer"
    if data is None:
        return "closed"
    return _words(request, decode_response(key, version, data)[1])


def _words(request: object, answer: object) -> str:
    match answer:
        case ProduceResponse():
            (part,) = answer.responses[0].partition_responses
            response = [_code(part.error_code), f"offset {part.base_offset}"]
            response.append(f"time {part.log_append_time_ms}")
        case FetchResponse():
            (fetched,) = answer.responses[0].partitions
            response = [_code(fetched.error_code), f"end {fetched.high_watermark}"]
            assert isinstance(request, FetchRequest)
            assert isinstance(fetched.records, memoryview | bytes)
            start = request.topics[0].partitions[0].fetch_offset
            response += _contents(bytes(fetched.records), start)
        case ListOffsetsResponse():
            (found,) = answer.topics[0].partitions
            response = [
                _code(found.error_code),
                f"offset {found.offset}",
                f"time {found.timestamp}",
            ]
            response.append(f"offsets {list(found.old_style_offsets)}")
        case OffsetForLeaderEpochResponse():
            (ended,) = answer.topics[0].partitions
            response = [_code(ended.error_code), f"epoch {ended.leader_epoch}"]
            response.append(f"end {ended.end_offset}")
        case MetadataResponse():
            (topic,) = answer.topics
            response = [_code(topic.error_code), str(topic.name)]
            response += [
                f"{one.partition_index}: {_code(one.error_code)}, leader there"
                for one in topic.partitions
                if one.leader_id >= 0
            ]
        case _:
            raise TypeError(type(answer))
    return ", ".join(response)


def _code(code: int) -> str:
    return ErrorCode(code).name if code else "fine"


def _contents(data: bytes, start: int) -> list[str]:
    """The highest magic in the records of a fetch, and those that were asked for.

    Whether a message before them comes along, and whether converted ones stay compressed, is up to
    the broker.
    """
    if not data:
        return ["nothing"]
    headers = list(entries(data))
    found, _ = decode_records(data[: headers[-1].end], TOPIC, 0)
    rows = [
        f"{each.offset}@{each.timestamp - TIME if each.timestamp >= 0 else '-'}"
        f" {(each.value or b'').decode()}"
        for each in found
        if each.offset >= start
    ]
    return [f"magic {max(each.magic for each in headers)}", *rows]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in conversation(*sys.argv[1:]))
