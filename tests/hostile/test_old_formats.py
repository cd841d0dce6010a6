"""Batches and message sets of millions of tiny records, which are converted between formats."""

import struct
import zlib

from barnabas.errors import ErrorCode
from barnabas.records.codecs.compression import Codec, compress
from tests.hostile.attacks.bombs import produce
from tests.hostile.attacks.frames import fetch
from tests.hostile.processes import RSS_LIMIT_MB, resident_mb
from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.raw import Raw, produce_7, produce_7_code
from tests.record_batches import make_batch, seal

RECORDS = 2_000_000
MESSAGES = 3_000_000
LARGE = {"max.message.bytes": "120000000"}


def varint(number: int) -> bytes:
    number <<= 1
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def tiny_batch(count: int) -> bytes:
    """Records without key and value, in gzip."""
    records = bytearray()
    for at in range(count):
        body = b"\0\0" + varint(at) + b"\1\1\0"
        records += varint(len(body)) + body
    batch = bytearray(make_batch(1))[:61] + compress(Codec.GZIP, records)
    struct.pack_into(">h", batch, 21, Codec.GZIP)
    struct.pack_into(">i", batch, 23, count - 1)
    struct.pack_into(">i", batch, 57, count)
    seal(batch)
    return bytes(batch)


def tiny_set(count: int) -> bytes:
    """Messages of magic 0 without key and value."""
    body = struct.pack(">bbii", 0, 0, -1, -1)
    one = struct.pack(">qiI", 0, 4 + len(body), zlib.crc32(body)) + body
    return one * count


def test_a_batch_of_millions_of_records_for_an_old_consumer() -> None:
    """Twice as many took 397 MB."""
    with OurBroker() as broker:
        topic = InteropBroker(broker).new_topic(LARGE)
        with Raw(broker.bootstrap_servers) as connection:
            answer = connection.ask(produce_7(topic, tiny_batch(RECORDS)))
            assert answer is not None
            assert produce_7_code(topic, answer) == ErrorCode.NONE
            assert connection.ask(fetch(topic, 0, [0])) is not None
        assert resident_mb(broker) < 110


def test_a_set_of_millions_of_messages() -> None:
    """4,600,000 took 406 MB."""
    with OurBroker() as broker:
        topic = InteropBroker(broker).new_topic(LARGE)
        with Raw(broker.bootstrap_servers) as connection:
            answer = connection.ask(produce(topic, [tiny_set(MESSAGES)], 2))
            assert answer is not None
            assert produce_7_code(topic, answer) == ErrorCode.MESSAGE_TOO_LARGE
        assert resident_mb(broker) < RSS_LIMIT_MB
