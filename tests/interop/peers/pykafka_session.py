"""pykafka behind the commands of program.py. The argument: which broker it takes ours for."""

import sys
from collections.abc import Callable

import pykafka
from pykafka.common import CompressionType, OffsetType

CODECS = {"none": CompressionType.NONE, "gzip": CompressionType.GZIP}


def content(word: str) -> bytes | None:
    return None if word == "-" else bytes.fromhex(word[1:])


def word(given: bytes | None) -> str:
    return "-" if given is None else f"x{given.hex()}"


def topic_of(address: str, name: str) -> pykafka.Topic:
    client = pykafka.KafkaClient(hosts=address, broker_version=sys.argv[1])
    return client.topics[name.encode()]


def write(address: str, name: str, codec: str, _: str, count: str) -> list[object]:
    rows = [sys.stdin.readline().split() for _ in range(int(count))]
    producer = topic_of(address, name).get_producer(
        compression=CODECS[codec], required_acks=-1, linger_ms=50
    )
    with producer:
        for row in rows:
            producer.produce(content(row[1]), partition_key=content(row[0]))
    return []


def read(address: str, name: str, start: str, count: str) -> list[object]:
    topic = topic_of(address, name)
    consumer = topic.get_simple_consumer(
        consumer_timeout_ms=30_000, auto_offset_reset=OffsetType.EARLIEST
    )
    if int(start):
        # It receives the offset of the last record seen.
        consumer.reset_offsets([(topic.partitions[0], int(start) - 1)])
    found: list[object] = []
    for message in consumer:
        found.append(f"{message.offset} {word(message.partition_key)} {word(message.value)} -1 -")
        if len(found) == int(count):
            break
    consumer.stop()
    return found


def ends(address: str, name: str) -> list[object]:
    topic = topic_of(address, name)
    first, following = topic.earliest_available_offsets(), topic.latest_available_offsets()
    return [first[0].offset[0], following[0].offset[0]]


VERBS: dict[str, Callable[..., list[object]]] = {"write": write, "read": read, "ends": ends}


def answered(command: list[str]) -> list[object]:
    try:
        return [*VERBS[command[0]](*command[1:]), "done"]
    except Exception as error:  # noqa: BLE001 - reported to the caller
        return [f"failed {error!r}".replace("\n", " ")]


def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        sys.stdout.writelines(f"{each}\n" for each in answered(line.split()))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
