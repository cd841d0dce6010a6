from typing import cast

import pytest

from barnabas import Admin
from barnabas.broker.apis.delete_records import handle
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.segments.log_config import LogConfig
from barnabas.protocol.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from barnabas.testing import EmbeddedBroker
from barnabas.types import TopicPartition
from tests.unit.broker.in_memory import Led, Replicas, a_broker, asked
from tests.wires.golden07 import M1
from tests.wires.wire07 import Wire07


def delete(led: Led, offset: int, topic: str = "dogs", index: int = 0) -> tuple[int, int]:
    broker = a_broker()
    cast("Replicas", broker.replicas)["dogs", 0] = led
    wanted = DeleteRecordsPartition(partition_index=index, offset=offset)
    request = DeleteRecordsRequest(
        topics=[DeleteRecordsTopic(name=topic, partitions=[wanted])], timeout_ms=1
    )
    (reported,) = handle(broker, asked(2), request).topics[0].partitions
    return reported.error_code, reported.low_watermark


def test_the_first_offset_moves_up_and_never_down() -> None:
    led = Led()
    assert delete(led, 4) == (0, 4)
    assert delete(led, 2) == (0, 4)
    assert delete(led, -1) == (0, 10)


@pytest.mark.parametrize("offset", [11, -2])
def test_offsets_that_are_not_there_are_refused(offset: int) -> None:
    led = Led()
    assert delete(led, offset) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)
    assert led.log.start_offset == 0


def test_partitions_that_cannot_be_deleted_from_are_refused() -> None:
    led = Led()
    assert delete(led, 4, index=1) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert delete(led, 4, topic="__consumer_offsets") == (ErrorCode.INVALID_TOPIC_EXCEPTION, -1)
    led.log.config = LogConfig(cleanup_policy=frozenset({"compact"}))
    assert delete(led, 4) == (ErrorCode.POLICY_VIOLATION, -1)
    led.log.failure = StorageError("gone")
    assert delete(led, 4) == (ErrorCode.KAFKA_STORAGE_ERROR, -1)


@pytest.mark.kernels
def test_in_a_log_of_kafka_07_the_first_offset_is_where_a_message_begins() -> None:
    """Clients of today commit the last offset and one; those of 0.7 start where OFFSETS of -2 says."""
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
        "num.partitions": "1",
    }
    with EmbeddedBroker(config) as broker, Wire07(broker.port_of("OLD")) as wire:
        wire.produce("dogs", 0, M1 * 4)
        assert wire.fetch("dogs") == (0, M1 * 4)
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            place = TopicPartition("dogs", 0)
            low = admin.delete_records({place: 2 * len(M1) + 1})
            assert low == {place: 2 * len(M1)}
        first = wire.offsets("dogs", 0, -2, 1)
        assert first == [2 * len(M1)]
        assert wire.fetch("dogs", 0, first[0]) == (0, M1 * 2)
