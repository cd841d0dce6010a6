"""The floor serves a client that we did not write, checks what it takes and keeps its log bounded."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from benchmarks.peers.asking import ask, wait_until
from benchmarks.peers.floor import Floor
from benchmarks.peers.load_generator import LoadFailed, run_load

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") or shutil.which("gcc")), reason="the floor is in C"
)

TOPIC = "floored"
SEGMENT = 50_000


@pytest.fixture
def floor() -> Iterator[Floor]:
    with Floor() as running:
        limits = {"segment.bytes": str(SEGMENT), "retention.bytes": str(2 * SEGMENT)}
        running.create_topic(TOPIC, 1, limits)
        running.create_topic("kept", 2, {"segment.bytes": str(SEGMENT)})
        yield running


def consume(floor: Floor, topic: str, count: int) -> list[Message]:
    consumer = Consumer(
        {
            "bootstrap.servers": floor.bootstrap_servers,
            "group.id": "reader",
            "check.crcs": True,
            "enable.auto.commit": False,
        }
    )
    consumer.assign([TopicPartition(topic, partition, 0) for partition in (0,)])
    found: list[Message] = []
    deadline = time.monotonic() + 60
    while len(found) < count and time.monotonic() < deadline:
        if (message := consumer.poll(1)) is not None:
            assert message.error() is None, message.error()
            found.append(message)
    consumer.close()
    return found


def batch(*values: bytes) -> bytes:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for value in values:
        builder.append(5, None, value, [])
    return bytes(builder.build())


def produce(floor: Floor, records: bytes, topic: str = TOPIC) -> tuple[int, int]:
    """The error and the base offset of the answer."""
    partition = PartitionProduceData(index=0, records=records)
    data = [TopicProduceData(name=topic, partition_data=[partition])]
    request = ProduceRequest(acks=1, timeout_ms=1000, topic_data=data)
    answer = ask(floor.port, ApiKey.PRODUCE, 7, request)
    assert isinstance(answer, ProduceResponse)
    (found,) = answer.responses[0].partition_responses
    return found.error_code, found.base_offset


def test_a_client_reads_what_it_has_written(floor: Floor) -> None:
    producer = Producer({"bootstrap.servers": floor.bootstrap_servers, "linger.ms": 1})
    values = [b"%d" % number * 40 for number in range(2_000)]
    for value in values:
        producer.produce("kept", value, partition=0)
    assert producer.flush(30) == 0
    messages = consume(floor, "kept", len(values))
    assert [message.value() for message in messages] == values
    assert [message.offset() for message in messages] == list(range(len(values)))


def test_offsets_go_on_from_batch_to_batch(floor: Floor) -> None:
    assert produce(floor, batch(b"a", b"b", b"c")) == (0, 0)
    assert produce(floor, batch(b"d")) == (0, 3)


def test_a_batch_whose_sum_is_wrong_is_refused(floor: Floor) -> None:
    bad = bytearray(batch(b"a", b"b"))
    bad[-2] ^= 1
    assert produce(floor, bytes(bad)) == (ErrorCode.CORRUPT_MESSAGE, -1)
    assert produce(floor, batch(b"a")) == (0, 0)


def test_a_topic_that_is_not_there_is_unknown(floor: Floor) -> None:
    with pytest.raises(LoadFailed, match="error 3"):
        run_load("produce", port=floor.port, topic="nowhere", requests=1)


def test_the_log_grows_to_its_bound(floor: Floor) -> None:
    folder = floor.folder / f"{TOPIC}-0"
    run_load("produce", port=floor.port, topic=TOPIC, value=1000, records=4, requests=200)

    def bounded() -> bool:
        try:
            sizes = [file.stat().st_size for file in folder.glob("*.log")]
        except FileNotFoundError:  # retention removed it meanwhile
            return False
        return 0 < sum(sizes) <= 3 * SEGMENT

    wait_until(bounded)
    assert len(list(folder.glob("*.index"))) == len(list(folder.glob("*.log"))) - 1
    command = (sys.executable, "-m", "barnabas", "log", "verify", str(folder))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "nothing is broken" in done.stdout, done.stdout


def test_a_topic_that_goes_is_closed(floor: Floor) -> None:
    produce(floor, batch(b"a"))
    floor.delete_topic(TOPIC)
    floor.create_topic("another", 1, {})
    wait_until(lambda: produce(floor, batch(b"a")) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1))
