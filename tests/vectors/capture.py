"""How the vectors in `frames` were taken: real clients speak to our broker through a tap.

`python -m tests.vectors.capture` writes them anew. One frame of each (client, API, request and
response) is kept, the first one with records where there are any.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import version as installed
from pathlib import Path

import aiokafka
import confluent_kafka
import confluent_kafka.admin
import kafka

from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.testing import EmbeddedBroker
from tests.vectors.annotated import Frame, to_text

FRAMES = Path(__file__).with_name("frames")


class Tap:
    """A relay between clients and a broker that keeps every frame. Use it as a context."""

    def __init__(self) -> None:
        self.frames: list[tuple[bytes, bytes]] = []
        self.target = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def start(self, target: int) -> None:
        self.target = target
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self._listener.close()

    def changed_response(self, _request: bytes, response: bytes) -> bytes:
        """What the client gets for an answer of the broker: the same."""
        return response

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                broker = socket.create_connection(("127.0.0.1", self.target))
                asked: dict[bytes, bytes] = {}
                for relay in (self._ask, self._answer):
                    args = (client, broker, asked)
                    threading.Thread(target=relay, args=args, daemon=True).start()

    def _ask(self, client: socket.socket, broker: socket.socket, asked: dict[bytes, bytes]) -> None:
        with contextlib.suppress(OSError), broker:
            for frame in _frames(client):
                asked[frame[4:8]] = frame
                broker.sendall(len(frame).to_bytes(4) + frame)

    def _answer(
        self, client: socket.socket, broker: socket.socket, asked: dict[bytes, bytes]
    ) -> None:
        with contextlib.suppress(OSError), client:
            for answer in _frames(broker):
                request = asked.pop(answer[:4])
                frame = self.changed_response(request, answer)
                self.frames.append((request, frame))
                client.sendall(len(frame).to_bytes(4) + frame)


def _frames(source: socket.socket) -> Iterator[bytes]:
    with source.makefile("rb") as stream:
        while len(size := stream.read(4)) == 4:
            yield stream.read(int.from_bytes(size))


def with_confluent(address: str) -> None:
    admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": address})
    topic = confluent_kafka.admin.NewTopic("confluent", 1, 1, config={"retention.ms": "60000"})
    admin.create_topics([topic])["confluent"].result(10)
    admin.create_partitions([confluent_kafka.admin.NewPartitions("confluent", 2)])[
        "confluent"
    ].result(10)
    resource = confluent_kafka.admin.ConfigResource("topic", "confluent")
    admin.describe_configs([resource])[resource].result(10)
    admin.describe_cluster().result(10)
    producer = confluent_kafka.Producer({"bootstrap.servers": address, "enable.idempotence": True})
    producer.produce("confluent", b"value", b"key", 0, timestamp=1)
    producer.flush(10)
    consumer = confluent_kafka.Consumer({"bootstrap.servers": address, "group.id": "g"})
    consumer.assign([confluent_kafka.TopicPartition("confluent", 0, 0)])
    assert consumer.poll(10) is not None
    consumer.get_watermark_offsets(confluent_kafka.TopicPartition("confluent", 0))
    consumer.close()
    admin.delete_topics(["confluent"])["confluent"].result(10)


def with_kafka_python(address: str) -> None:
    producer = kafka.KafkaProducer(bootstrap_servers=address)
    producer.send("kafka-python", b"value", b"key", timestamp_ms=1).get(10)
    producer.close()
    place = kafka.TopicPartition("kafka-python", 0)
    consumer = kafka.KafkaConsumer(bootstrap_servers=address)
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    assert consumer.poll(10_000)
    consumer.close()


def with_aiokafka(address: str) -> None:
    async def speak() -> None:
        async with aiokafka.AIOKafkaProducer(
            bootstrap_servers=address, enable_idempotence=True
        ) as producer:
            await producer.send_and_wait("aiokafka", b"value", b"key", timestamp_ms=1)
        consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=address)
        consumer.assign([aiokafka.TopicPartition("aiokafka", 0)])
        async with consumer:
            await consumer.seek_to_beginning()
            await consumer.getone()

    asyncio.run(speak())


CLIENTS: dict[str, Callable[[str], None]] = {
    "confluent-kafka": with_confluent,
    "kafka-python": with_kafka_python,
    "aiokafka": with_aiokafka,
}


def kept(frames: list[tuple[bytes, bytes]]) -> dict[ApiKey, tuple[bytes, bytes]]:
    """Of each API the conversation with the largest answer of a size that one can read."""
    best: dict[ApiKey, tuple[bytes, bytes]] = {}
    for request, response in frames:
        key = ApiKey(int.from_bytes(request[:2]))
        known = best.get(key)
        if known is None or len(known[1]) < len(response) < 600:
            best[key] = (request, response)
    return best


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def main() -> None:
    for client, speak in CLIENTS.items():
        tap = Tap()
        port = free_port()
        config = {
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{tap.port}",
        }
        with EmbeddedBroker(config):
            tap.start(port)
            speak(f"127.0.0.1:{tap.port}")
            tap.stop()
        note = f"{client} {installed(client)}"
        for key, (request, response) in kept(tap.frames).items():
            version = int.from_bytes(request[2:4])
            parts = [
                to_text(Frame(key, "request", version, note, request)),
                to_text(Frame(key, "response", version, note, response)),
            ]
            name = f"{APIS[key].name}-{version}-{client}.txt"
            (FRAMES / name).write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
