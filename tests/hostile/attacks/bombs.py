"""Attacks by small batches that unpack to 31 MB, of which each connection brings or asks for two."""

import struct
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from barnabas.records.codecs.compression import Codec, compress
from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import MEGABYTE, fetch
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, framed, header, produce_7, produce_7_code
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch, seal

_ANSWER_SECONDS = 240.0
_SIZE = 31 * MEGABYTE
Question = Callable[[Target], bytes]
"""Prepares a broker; gives the frame to send."""


def packed_batch(codec: Codec, records: bytes) -> bytes:
    """A batch that says it holds one record."""
    batch = bytearray(make_batch(1))[:61] + compress(codec, records)
    struct.pack_into(">h", batch, 21, codec)
    seal(batch)
    return bytes(batch)


def produce(topic: str, sets: Sequence[bytes], version: int) -> bytes:
    """A whole Produce request, with a set for each partition, as a frame."""
    name = topic.encode()
    body = struct.pack(">h", -1) if version >= 3 else b""
    body += struct.pack(">hiih", -1, 5000, 1, len(name)) + name + struct.pack(">i", len(sets))
    for index, records in enumerate(sets):
        body += struct.pack(">ii", index, len(records)) + records
    return framed(header(0, version) + body)


def list_offsets(topic: str, count: int) -> bytes:
    """A ListOffsets request of version 1 for the first record of each partition that has a time."""
    body = struct.pack(">iih", -1, 1, len(topic)) + topic.encode() + struct.pack(">i", count)
    return framed(
        header(2, 1) + body + b"".join(struct.pack(">iq", index, 1) for index in range(count))
    )


def _of_zeros(broker: Target) -> bytes:
    """Batches that are no records: they are refused once they are unpacked."""
    topic = InteropBroker(broker).new_topic(partitions=2)
    return produce(topic, [packed_batch(Codec.GZIP, bytes(_SIZE))] * 2, 7)


def _of_old_messages(broker: Target) -> bytes:
    topic = InteropBroker(broker).new_topic(partitions=2)
    return produce(topic, [wrapper(0, [message(0, None, bytes(_SIZE))], Codec.GZIP)] * 2, 2)


def _stored(broker: Target) -> str:
    whole = packed_batch(Codec.GZIP, bytes(make_batch(1, size=_SIZE, fill=0)[61:]))
    topic = InteropBroker(broker).new_topic(partitions=2)
    with Raw(broker.bootstrap_servers) as connection:
        for index in range(2):
            answer = connection.ask(produce_7(topic, whole, partition=index))
            assert answer is not None
            assert produce_7_code(topic, answer) == 0
    return topic


def _on_each(question: Question, connections: int) -> Callable[[Target], Strike]:
    """Send it on each connection, and wait until all are answered."""

    def prepare(broker: Target) -> Strike:
        frame = question(broker)

        def strike(attackers: ExitStack) -> None:
            address = broker.bootstrap_servers
            asking = [
                attackers.enter_context(Raw(address, _ANSWER_SECONDS)) for _ in range(connections)
            ]
            for attacker in asking:
                attacker.send(frame)
            for attacker in asking:
                attacker.ask(b"")

        return strike

    return prepare


ATTACKS = (
    Attack(
        "bombs",
        "200 connections with a Produce of two batches of 32 KB that unpack to 31 MB each",
        _on_each(_of_zeros, 200),
    ),
    Attack(
        "old-bombs",
        "100 connections with a Produce 2 of two such messages of magic 0",
        _on_each(_of_old_messages, 100),
    ),
    Attack(
        "bombs-looked-up",
        "200 connections with a ListOffsets by time for two such batches that are stored",
        _on_each(lambda broker: list_offsets(_stored(broker), 2), 200),
    ),
    Attack(
        "bombs-fetched",
        "60 connections with a Fetch 0 of two such batches, which are converted",
        _on_each(lambda broker: fetch(_stored(broker), 0, range(2)), 60),
    ),
)
