"""A record that says nothing a coordinator understands: all others of its partition count."""

import logging
from pathlib import Path

import pytest

from barnabas.broker.purgatory.stepping import at_once
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata, encode_commit
from barnabas.errors import ErrorCode
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.types import TopicPartition
from tests.unit.broker.groups.test_offsets import Started
from tests.unit.broker.replicas.test_replica_manager import a_request, codes_of

pytestmark = pytest.mark.kernels

GARBAGE = (b"\x00\x01garbage", b"\x00\x09garbage")


def saved(partition: int) -> tuple[bytes, bytes | None]:
    return encode_commit("g", TopicPartition("dogs", partition), OffsetAndMetadata(7, 0, "", 1))


@pytest.mark.parametrize("producer_id", [-1, 5], ids=["plain", "in a transaction"])
def test_a_record_that_cannot_be_read_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, producer_id: int
) -> None:
    first = Started(tmp_path)
    held = first.broker.groups.of("g")
    index = held.partition.log.topic_partition.partition
    builder = BatchBuilder(Codec.NONE, 1000)
    for key, value in (saved(0), GARBAGE, saved(1)):
        builder.append(1, key, value)
    transactional = producer_id >= 0
    batch = (
        builder.build(producer_id, 0, 0, transactional=True) if transactional else builder.build()
    )
    produced = a_request((OFFSETS_TOPIC, index, memoryview(batch)))
    produced.transactional_id = "t" if transactional else None
    response = at_once(first.broker.replicas.append(produced, to_internal=True))
    assert codes_of(response) == [ErrorCode.NONE]
    first.broker.replicas.write()
    first.stop()

    again = Started(tmp_path)
    try:
        with caplog.at_level(logging.ERROR):
            shard = again.broker.groups.of("g").shard
        if transactional:
            shard.end_transaction(producer_id, committed=True)
        assert set(shard.offsets.positions("g")) == {
            TopicPartition("dogs", 0),
            TopicPartition("dogs", 1),
        }
    finally:
        again.stop()
    (reported,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    where = {name: getattr(reported, name) for name in ("topic", "partition", "offset")}
    assert where == {"topic": OFFSETS_TOPIC, "partition": index, "offset": 1}
