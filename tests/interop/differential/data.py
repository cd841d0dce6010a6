"""Scripts about records: writing them, reading them, finding them."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from time import time_ns

from barnabas.protocol.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from barnabas.protocol.init_producer_id import InitProducerIdRequest
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec
from barnabas.wire.schema import NO_UUID
from tests.interop.differential.talk import SILENCE_SECONDS, Talk
from tests.record_batches import make_batch

STRANGE_ID = bytes(range(1, 17))
LARGE = 1 << 20


def produced(
    topic: str | bytes, records: bytes | None, *, acks: int = -1, partition: int = 0
) -> ProduceRequest:
    """One record set for one partition of a topic, by name or by id."""
    name, topic_id = (topic, NO_UUID) if isinstance(topic, str) else ("", topic)
    return ProduceRequest(
        acks=acks,
        timeout_ms=5000,
        topic_data=[
            TopicProduceData(
                name=name,
                topic_id=topic_id,
                partition_data=[PartitionProduceData(index=partition, records=records)],
            )
        ],
    )


def _patched(layout: str, position: int, value: int) -> bytes:
    batch = make_batch(3, size=200)
    struct.pack_into(layout, batch, position, value)
    struct.pack_into(">I", batch, 17, crc32c(memoryview(batch)[21:]))
    return bytes(batch)


def produce(talk: Talk) -> None:
    """Good and bad record sets, in every version that is served."""
    topic_id = talk.create("t", partitions=2, config={"max.message.bytes": "65536"})
    name, good = talk.topic("t"), bytes(make_batch(3, size=200))
    wrong = good[:-1] + bytes([good[-1] ^ 1])
    for version in range(3, 14):
        to: str | bytes = name if version < 13 else topic_id
        unknown: str | bytes = talk.topic("gone") if version < 13 else STRANGE_ID
        talk.ask(f"good in {version}", produced(to, good), version)
        talk.ask(f"unknown topic in {version}", produced(unknown, good), version)
        talk.ask(f"unknown partition in {version}", produced(to, good, partition=5), version)
        talk.ask(f"wrong CRC in {version}", produced(to, wrong), version)
    _too_large(talk, name)
    talk.ask("negative partition", produced(name, good, partition=-1), 12)
    talk.ask("null records", produced(name, None), 12, SILENCE_SECONDS)
    talk.ask("empty records", produced(name, b""), 12)
    talk.ask("magic 3", produced(name, _patched(">b", 16, 3)), 12)
    talk.ask("magic 1", produced(name, _patched(">b", 16, 1)), 12)
    talk.ask("magic 0", produced(name, _patched(">b", 16, 0)), 12)
    talk.ask("count too high", produced(name, _patched(">i", 57, 4)), 12)
    talk.ask("two batches", produced(name, good + good), 12)
    talk.ask("control batch", produced(name, _patched(">h", 21, 0x20)), 12)
    talk.ask("transactional batch", produced(name, _patched(">h", 21, 0x10)), 12)
    talk.ask("leader acks", produced(name, good, acks=1), 12)
    for acks in (2, -2, 7):
        talk.ask(f"acks {acks}", produced(name, good, acks=acks), 12)
    future = bytes(make_batch(1, timestamp=2**60))
    talk.ask("a time far ahead", produced(name, future), 12)
    compacted = talk.create("compacted", config={"cleanup.policy": "compact"})
    talk.ask("without keys where compacted", produced(compacted, good), 13)
    talk.ask("some without keys", produced(compacted, _half_keyed(Codec.NONE)), 13)
    talk.ask("some without keys, compressed", produced(compacted, _half_keyed(Codec.GZIP)), 13)
    recent = talk.create("recent", config={"message.timestamp.before.max.ms": "60000"})
    talk.ask("some too old", produced(recent, _half_keyed(Codec.NONE, age_ms=3_600_000)), 13)
    both = talk.create(
        "both", config={"cleanup.policy": "compact", "message.timestamp.before.max.ms": "60000"}
    )
    talk.ask(
        "too old and without keys", produced(both, _half_keyed(Codec.ZSTD, age_ms=3_600_000)), 13
    )
    stamped = talk.create("stamped", config={"message.timestamp.type": "LogAppendTime"})
    talk.ask("stamped by the log", produced(stamped, good), 13)
    talk.ask("several partitions", _mixed(name, good, wrong), 12)
    talk.ask("nothing", ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[]), 12)


def _too_large(talk: Talk, name: str) -> None:
    talk.ask("too large", produced(name, bytes(make_batch(1, size=70_000))), 12)
    small = {"segment.bytes": str(LARGE), "max.message.bytes": str(3 * LARGE)}
    segments = talk.create("small_segments", config=small)
    talk.ask("too large for a segment", produced(segments, bytes(make_batch(size=LARGE + 1))), 13)
    talk.ask("as large as a segment", produced(segments, bytes(make_batch(size=LARGE))), 13)


def _half_keyed(codec: Codec, *, age_ms: int = 0) -> bytes:
    """Four records: the second and the fourth without a key, the third and the fourth older."""
    now = time_ns() // 1_000_000
    builder = BatchBuilder(codec, 1 << 16)
    for key, age in ((b"k", 0), (None, 0), (b"l", age_ms), (None, age_ms)):
        builder.append(now - age, key, b"v", ())
    return bytes(builder.build())


def _mixed(name: str, good: bytes, wrong: bytes) -> ProduceRequest:
    return ProduceRequest(
        acks=-1,
        timeout_ms=5000,
        topic_data=[
            TopicProduceData(
                name=name,
                partition_data=[
                    PartitionProduceData(index=0, records=good),
                    PartitionProduceData(index=1, records=wrong),
                    PartitionProduceData(index=7, records=good),
                ],
            )
        ],
    )


def idempotence(talk: Talk) -> None:
    """Sequences in order, again, with gaps, of older and newer epochs."""
    talk.create("t")
    name = talk.topic("t")
    given = talk.wait(
        InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000),
        4,
        lambda response: response.error_code == 0,
    )
    producer = given.producer_id

    def batch(sequence: int, *, epoch: int = 0, count: int = 2, who: int = producer) -> bytes:
        return bytes(make_batch(count, producer=(who, epoch, sequence)))

    for label, records in {
        "first": batch(0),
        "second": batch(2),
        "second again": batch(2),
        "first again": batch(0),
        "gap": batch(9),
        "overlap": batch(3),
        "third": batch(4, count=1),
        "newer epoch, not from 0": batch(5, epoch=1),
        "newer epoch": batch(0, epoch=1),
        "older epoch": batch(5, epoch=0),
        "other count of what was": batch(0, epoch=1, count=3),
        "a stranger not from 0": batch(7, who=producer + 77),
        "a stranger from 0": batch(0, who=producer + 78),
        "the stranger goes on": batch(2, who=producer + 78),
        "no epoch": bytes(make_batch(1, producer=(producer, -1, 0))),
        "no sequence": bytes(make_batch(1, producer=(producer, 1, -1))),
    }.items():
        talk.ask(label, produced(name, records), 12)
    last = 2**31 - 1
    wraps = producer + 79
    talk.ask("to the last sequence", produced(name, batch(last - 1, who=wraps)), 12)
    for version in (0, 2, 3, 4, 5):
        talk.ask(f"ids in {version}", _an_id(version), version)
    talk.ask("a known id", _an_id(4, producer, 0), 4)
    talk.ask("an id without an epoch", _an_id(4, producer, -1), 4)
    talk.ask("an epoch without an id", _an_id(4, -1, 3), 4)
    talk.tell_producers_from(producer)


def _an_id(version: int, producer: int = -1, epoch: int = -1) -> InitProducerIdRequest:
    del version
    return InitProducerIdRequest(
        transactional_id=None,
        transaction_timeout_ms=60_000,
        producer_id=producer,
        producer_epoch=epoch,
    )


@dataclass(frozen=True, slots=True)
class _At:
    """Where a fetch reads."""

    topic: str | bytes
    offset: int = 0
    partition: int = 0
    epoch: int = -1
    last_epoch: int = -1
    max_bytes: int = LARGE


def _fetch(
    places: Sequence[_At],
    session: tuple[int, int] = (0, -1),
    *,
    forget: Sequence[bytes] = (),
    max_bytes: int = LARGE,
    isolation: int = 0,
    replica: int = -1,
) -> FetchRequest:
    topics: dict[str | bytes, list[FetchPartition]] = {}
    for at in places:
        topics.setdefault(at.topic, []).append(
            FetchPartition(
                partition=at.partition,
                current_leader_epoch=at.epoch,
                fetch_offset=at.offset,
                last_fetched_epoch=at.last_epoch,
                partition_max_bytes=at.max_bytes,
            )
        )
    return FetchRequest(
        replica_id=replica,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=max_bytes,
        isolation_level=isolation,
        session_id=session[0],
        session_epoch=session[1],
        topics=[
            FetchTopic(topic=topic, partitions=partitions)
            if isinstance(topic, str)
            else FetchTopic(topic_id=topic, partitions=partitions)
            for topic, partitions in topics.items()
        ],
        forgotten_topics_data=[ForgottenTopic(topic_id=one, partitions=[0]) for one in forget],
    )


def fetch(talk: Talk) -> None:
    """Records, ends, epochs and what is not there, in every version that is served."""
    topic_id = talk.create("t", partitions=3)
    name = talk.topic("t")
    for nth in range(4):
        records = bytes(make_batch(3, size=300, timestamp=nth))
        talk.ask(f"written {nth}", produced(name, records), 12)
        talk.ask(f"written {nth} in 2", produced(name, records, partition=2), 12)
    for version in range(4, 19):
        to: str | bytes = name if version < 13 else topic_id
        gone: str | bytes = talk.topic("gone") if version < 13 else STRANGE_ID
        for label, at in {
            "records": _At(to),
            "middle": _At(to, 4),
            "end": _At(to, 12),
            "one byte": _At(to, 0, max_bytes=1),
            "behind the end": _At(to, 13),
            "negative": _At(to, -1),
            "unknown partition": _At(to, 0, 9),
            "unknown topic": _At(gone),
            "epoch": _At(to, 0, epoch=0),
            "newer epoch": _At(to, 0, epoch=5),
            "last epoch": _At(to, 3, last_epoch=0),
            "newer last epoch": _At(to, 3, last_epoch=4),
            "empty partition": _At(to, 0, 1),
        }.items():
            talk.ask(f"{label} in {version}", _fetch([at]), version)
        talk.ask(f"committed in {version}", _fetch([_At(to)], isolation=1), version)
        talk.ask(
            f"little of several in {version}",
            _fetch([_At(to, 0, 1), _At(to, 0), _At(to, 3, 2)], max_bytes=1),
            version,
        )
        talk.ask(f"nothing in {version}", _fetch([]), version)
    talk.ask("no id", _fetch([_At(NO_UUID)]), 13)
    talk.ask("empty name", _fetch([_At("")]), 12)


def fetch_sessions(talk: Talk) -> None:
    """Sessions opened, used, lost and closed (KIP-227), over one connection: ours end with it."""
    topic_id = talk.create("t", partitions=2)
    talk.ask("written", produced(topic_id, bytes(make_batch(3))), 13)
    both = [_At(topic_id, 0, 0), _At(topic_id, 0, 1)]
    with talk.one_connection():
        opened = talk.ask("opened", _fetch(both, (0, 0)), 17)
        session = opened.session_id
        talk.ask("nothing new", _fetch([_At(topic_id, 3, 0)], (session, 1)), 17)
        talk.ask("from the start again", _fetch([_At(topic_id, 0, 0)], (session, 2)), 17)
        talk.ask("wrong epoch", _fetch([], (session, 9)), 17)
        talk.ask("epoch that was", _fetch([], (session, 2)), 17)
        talk.ask("in order", _fetch([], (session, 3)), 17)
        talk.ask("forgotten", _fetch([], (session, 4), forget=[topic_id]), 17)
        talk.ask("unknown session", _fetch([], (session + 1, 1)), 17)
        talk.ask("no session but an epoch", _fetch(both, (0, 5)), 17)
        talk.ask("closed", _fetch([], (session, -1)), 17)
        talk.ask("after closing", _fetch([], (session, 5)), 17)
        broken = talk.ask("opened with errors", _fetch([_At(STRANGE_ID), *both], (0, 0)), 17)
        talk.ask("errors stay", _fetch([], (broken.session_id, 1)), 17)
        beyond = talk.ask("opened beyond", _fetch([_At(topic_id, 50)], (0, 0)), 17)
        talk.ask("still beyond", _fetch([], (beyond.session_id, 1)), 17)
        empty = talk.ask("opened with nothing", _fetch([], (0, 0)), 17)
        del empty


def _times(
    name: str, *times: int, partition: int = 0, epoch: int = -1, isolation: int = 0
) -> ListOffsetsRequest:
    wanted = [
        ListOffsetsPartition(partition_index=partition, current_leader_epoch=epoch, timestamp=time)
        for time in times
    ]
    return ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation,
        timeout_ms=5000,
        topics=[ListOffsetsTopic(name=name, partitions=wanted)],
    )


def list_offsets(talk: Talk) -> None:
    """Every special time, real times, and what is not there."""
    talk.create("t", partitions=2)
    talk.create("timeless")
    timeless = talk.topic("timeless")
    talk.ask("without times", produced(timeless, bytes(make_batch(2, timestamp=-1))), 12)
    talk.ask("newest without times", _times(timeless, -3), 10)
    name = talk.topic("t")
    for nth, when in enumerate((1000, 5000, 3000)):
        records = bytes(make_batch(2, timestamp=when, step=10))
        talk.ask(f"written {nth}", produced(name, records), 12)

    for version in range(1, 12):
        for time in (-1, -2, -3, -4, -5, -6, -7, 0, 1000, 1001, 1010, 3000, 5005, 5010, 5011):
            talk.ask(f"{time} in {version}", _times(name, time), version)
            talk.ask(f"{time} of nothing in {version}", _times(name, time, partition=1), version)
        talk.ask(f"unknown in {version}", _times(talk.topic("gone"), -1), version)
        talk.ask(f"unknown partition in {version}", _times(name, -1, partition=9), version)
        talk.ask(f"twice in {version}", _times(name, -1, -2), version)
        talk.ask(f"committed in {version}", _times(name, -1, isolation=1), version)
        talk.ask(f"epoch in {version}", _times(name, -1, epoch=0), version)
        talk.ask(f"newer epoch in {version}", _times(name, -1, epoch=3), version)

    def epochs(epoch: int, current: int = -1, partition: int = 0) -> OffsetForLeaderEpochRequest:
        one = OffsetForLeaderPartition(
            partition=partition, current_leader_epoch=current, leader_epoch=epoch
        )
        return OffsetForLeaderEpochRequest(
            replica_id=-1, topics=[OffsetForLeaderTopic(topic=name, partitions=[one])]
        )

    for version in (2, 3, 4):
        for label, request in {
            "epoch 0": epochs(0),
            "epoch 1": epochs(1),
            "epoch -1": epochs(-1),
            "current": epochs(0, 0),
            "newer current": epochs(0, 4),
            "empty": epochs(0, partition=1),
            "unknown partition": epochs(0, partition=9),
        }.items():
            talk.ask(f"end of {label} in {version}", request, version)


def delete_records(talk: Talk) -> None:
    """The first offset moved up."""
    talk.create("t")
    talk.create("compacted", config={"cleanup.policy": "compact"})
    name = talk.topic("t")
    talk.create("kept", config={"cleanup.policy": ""})
    for when in (5000, 3000, 4000):
        records = bytes(make_batch(3, timestamp=when, step=10))
        talk.ask(f"written at {when}", produced(name, records), 12)

    def before(offset: int, name: str = name, partition: int = 0) -> DeleteRecordsRequest:
        one = DeleteRecordsPartition(partition_index=partition, offset=offset)
        return DeleteRecordsRequest(
            topics=[DeleteRecordsTopic(name=name, partitions=[one])], timeout_ms=5000
        )

    talk.ask("some", before(4), 2)
    talk.ask("newest, which is gone", _times(name, -3), 10)
    talk.ask("less than are gone", before(2), 2)
    talk.ask("negative", before(-2), 2)
    talk.ask("more than there are", before(10), 2)
    talk.ask("read below", _fetch([_At(name, 1)]), 12)
    talk.ask("read at", _fetch([_At(name, 4)]), 12)
    talk.ask("all", before(-1), 1)
    talk.ask("read at the end", _fetch([_At(name, 9)]), 12)
    talk.ask("unknown topic", before(1, talk.topic("gone")), 2)
    talk.ask("unknown partition", before(1, partition=4), 2)
    talk.ask("compacted", before(0, talk.topic("compacted")), 2)
    talk.ask("not cleaned", before(0, talk.topic("kept")), 2)
    talk.ask("written then", produced(name, bytes(make_batch(1))), 12)


SCENARIOS = (produce, idempotence, fetch, fetch_sessions, list_offsets, delete_records)
