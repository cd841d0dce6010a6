"""Record sets that must not be stored: the code that real Kafka answers, and nothing in the log."""

import struct
import time
from collections.abc import Callable

import pytest

from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec, compress
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, produce_7, produce_7_code
from tests.interop.stored_log import stored_batches
from tests.record_batches import make_batch, seal

pytestmark = pytest.mark.interop

UNKNOWN_SERVER_ERROR, CORRUPT_MESSAGE, UNKNOWN_TOPIC, TOO_LARGE = -1, 2, 3, 10
INVALID_ACKS, INVALID_TIMESTAMP, BAD_CODEC, INVALID_RECORD = 21, 32, 76, 87
DAY_MS = 86_400_000


def patched(layout: str, position: int, value: int, *, seal: bool = True) -> bytes:
    """A good batch with one field of its header changed; `seal` makes the CRC right again."""
    batch = make_batch(3, size=200)
    struct.pack_into(layout, batch, position, value)
    if seal:
        struct.pack_into(">I", batch, 17, crc32c(memoryview(batch)[21:]))
    return bytes(batch)


GOOD = bytes(make_batch(3, size=200))
REFUSED = {
    "wrong CRC": (patched(">I", 17, 12345, seal=False), CORRUPT_MESSAGE),
    "a flipped bit": (GOOD[:-1] + bytes([GOOD[-1] ^ 1]), CORRUPT_MESSAGE),
    # What is not there whole is no batch for Kafka, and a set without a batch is invalid.
    "cut short": (GOOD[:-5], INVALID_RECORD),
    "only half a header": (GOOD[:30], INVALID_RECORD),
    "length past the end": (patched(">i", 8, 5000), INVALID_RECORD),
    "nothing": (b"", INVALID_RECORD),
    "negative length": (patched(">i", 8, -1), CORRUPT_MESSAGE),
    "length too small for a header": (patched(">i", 8, 20), CORRUPT_MESSAGE),
    "too large": (bytes(make_batch(1, size=70_000)), TOO_LARGE),
    "two batches": (GOOD + GOOD, INVALID_RECORD),
    "fewer records than stated": (patched(">i", 57, 4), INVALID_RECORD),
    "offset delta of another count": (patched(">i", 23, 7), INVALID_RECORD),
    "magic of the future": (patched(">b", 16, 3), CORRUPT_MESSAGE),
    "a base offset": (patched(">q", 0, 5), INVALID_RECORD),
    "a producer without a sequence": (patched(">q", 43, 7), INVALID_RECORD),
    "a control batch": (patched(">h", 21, 0x20), INVALID_RECORD),
}


THREE = GOOD[61:]


def packed(codec: Codec, records: bytes, *, count: int = 3, cut: int | None = None) -> bytes:
    """A batch with so many records in its header, and these bytes compressed."""
    batch = make_batch(count)[:61] + bytes(compress(codec, records))[:cut]
    struct.pack_into(">h", batch, 21, codec)
    seal(batch)
    return bytes(batch)


REFUSED_PACKED: dict[str, tuple[Callable[[Codec], bytes], int]] = {
    "nonsense": (lambda codec: packed(codec, b"\xff" * 300), INVALID_RECORD),
    "zeros": (lambda codec: packed(codec, bytes(300)), INVALID_RECORD),
    "no record": (lambda codec: packed(codec, b""), INVALID_RECORD),
    "fewer records than stated": (lambda codec: packed(codec, THREE, count=9), INVALID_RECORD),
    "more records than stated": (lambda codec: packed(codec, THREE, count=2), INVALID_RECORD),
    "bytes behind the records": (lambda codec: packed(codec, THREE + b"zz"), INVALID_RECORD),
    # Kafka stumbles over it; its clients give up at once, which is what is wanted here too.
    "of another codec": (
        lambda codec: packed(codec, THREE)[:61] + b"nothing of the kind, really",
        UNKNOWN_SERVER_ERROR,
    ),
    "cut off": (lambda codec: packed(codec, THREE, cut=-3), UNKNOWN_SERVER_ERROR),
}


@pytest.fixture
def topic(broker: InteropBroker) -> str:
    return broker.new_topic({"max.message.bytes": "65536"})


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_record_set_gets_its_code(broker: InteropBroker, topic: str, name: str) -> None:
    records, code = REFUSED[name]
    with Raw(broker.bootstrap_servers) as connection:
        answer = connection.ask(produce_7(topic, records))
        assert answer is not None, "closed"
        assert produce_7_code(topic, answer) == code
        # The same connection goes on, and only what is good is stored.
        answer = connection.ask(produce_7(topic, GOOD))
        assert answer is not None
        assert produce_7_code(topic, answer) == 0
    assert [batch.count for batch in stored_batches(broker.data_dir, topic)] == [3]


@pytest.mark.parametrize("codec", [codec for codec in Codec if codec])
def test_compressed_records_are_read_before_they_are_stored(
    broker: InteropBroker, topic: str, codec: Codec
) -> None:
    answers = {}
    with Raw(broker.bootstrap_servers) as connection:
        for name, (made, _) in REFUSED_PACKED.items():
            batch = bytearray(made(codec))
            seal(batch)
            answer = connection.ask(produce_7(topic, bytes(batch)))
            answers[name] = None if answer is None else produce_7_code(topic, answer)
        answer = connection.ask(produce_7(topic, packed(codec, THREE)))
        assert answer is not None
        assert produce_7_code(topic, answer) == 0
    assert answers == {name: code for name, (_, code) in REFUSED_PACKED.items()}
    assert [batch.count for batch in stored_batches(broker.data_dir, topic)] == [3]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.ZSTD])
def test_the_greatest_time_is_that_of_the_records(
    broker: InteropBroker, topic: str, codec: Codec
) -> None:
    now = time.time_ns() // 1_000_000
    ahead = now + 100 * DAY_MS
    batch = bytearray(packed(codec, THREE))
    codes = []
    with Raw(broker.bootstrap_servers) as connection:
        # Where it begins, what the header says, and whether a broker is reported to have set it.
        for base, stated, by_broker in [
            (now, 0, 0), (now, ahead, 0), (now, now, 8), (ahead, now, 0)
        ]:  # fmt: skip
            struct.pack_into(">hi", batch, 21, codec | by_broker, 2)
            struct.pack_into(">qq", batch, 27, base, stated)
            seal(batch)
            answer = connection.ask(produce_7(topic, bytes(batch)))
            assert answer is not None
            codes.append(produce_7_code(topic, answer))
    assert codes == [0, 0, 0, INVALID_TIMESTAMP]
    stored = stored_batches(broker.data_dir, topic)
    assert [(one.attributes, one.max_timestamp) for one in stored] == [(codec, now)] * 3
    assert all(one.crc_is_right for one in stored)


def test_a_codec_of_the_future(broker: InteropBroker, topic: str) -> None:
    # Kafka 4.3 stumbles over it; ours says what it is.
    code = {"kafka": UNKNOWN_SERVER_ERROR}.get(broker.name, BAD_CODEC)
    with Raw(broker.bootstrap_servers) as connection:
        answer = connection.ask(produce_7(topic, patched(">h", 21, 5)))
        assert answer is not None
        assert produce_7_code(topic, answer) == code


def test_acknowledgements_nobody_knows(broker: InteropBroker, topic: str) -> None:
    with Raw(broker.bootstrap_servers) as connection:
        answer = connection.ask(produce_7(topic, GOOD, acks=7))
        assert answer is not None
        assert produce_7_code(topic, answer) == INVALID_ACKS


def test_a_partition_that_is_not_there(broker: InteropBroker, topic: str) -> None:
    with Raw(broker.bootstrap_servers) as connection:
        answer = connection.ask(produce_7(topic, GOOD, partition=9))
        assert answer is not None
        assert produce_7_code(topic, answer) == UNKNOWN_TOPIC


def test_without_acknowledgement_a_failure_closes_the_connection(
    broker: InteropBroker, topic: str
) -> None:
    with Raw(broker.bootstrap_servers) as connection:
        connection.send(produce_7(topic, REFUSED["wrong CRC"][0], acks=0))
        assert connection.closed()
